import type { KqlNode } from "./node.ts";

/** Counts the nodes of a tree, its root among them. */
export function countNodes(node: KqlNode): number {
  if (node.type === "and" || node.type === "or") {
    return node.items.reduce((sum, item) => sum + countNodes(item), 1);
  }
  return node.type === "not" || node.type === "nested" ? 1 + countNodes(node.item) : 1;
}
