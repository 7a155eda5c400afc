import { type ClockReading, parseClockReading } from "./instant.ts";
import type { KqlNode } from "./node.ts";
import { toText } from "./values.ts";

/** Tells whether a filter's answer changes with the clock, so that it may be kept 30 seconds at most. */
export function readsNow(node: KqlNode): boolean {
  return listClockReadings(node).length > 0;
}

/** Lists every reading of the clock in a filter. */
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
