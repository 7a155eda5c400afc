import { isNowExpression } from "./instant.ts";
import type { KqlNode } from "./node.ts";
import { toText } from "./values.ts";

/** Tells whether a filter's answer changes with the clock, so that it may be kept 30 seconds at most. */
export function readsNow(node: KqlNode): boolean {
  switch (node.type) {
    case "and":
    case "or":
      return node.items.some(readsNow);
    case "not":
    case "nested":
      return readsNow(node.item);
    case "range":
      return isNowExpression(toText(node.value) ?? "");
    case "all":
    case "is":
    case "exists":
      return false;
    default:
      return node satisfies never;
  }
}
