import { type ClockReading, parseClockReading } from "./instant.ts";
import type { KqlNode } from "./node.ts";
import { toText } from "./values.ts";

/** Reports whether a filter's result depends on the clock, so that it may be cached 30 seconds at most. */
export function readsNow(node: KqlNode): boolean {
  return listClockReadings(node).length > 0;
}

/** Lists the clock-dependent bounds of a filter. */
export function listClockReadings(node: KqlNode): readonly ClockReading[] {
  switch (node.type) {
    case "and":
    case "or":
      return node.items.flatMap(listClockReadings);
    case "not":
    case "nested":
      return listClockReadings(node.item);
    case "range": {
      const reading = parseClockReading(toText(node.value) ?? "");
      return reading === undefined ? [] : [reading];
    }
    case "all":
    case "is":
    case "exists":
      return [];
    default:
      return node satisfies never;
  }
}
