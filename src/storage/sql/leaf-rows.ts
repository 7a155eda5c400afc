import { parseInstant, type Scalar } from "../../domain/kql/index.ts";
import { toStoredText } from "./stored-text.ts";

/** The tables that {@link compileKql} reads, as far as it reads them; both hang on an item's id. */
export interface LeafTables {
  content_leaf: LeafRow & { readonly item_id: string };
  content_node: NodeRow & { readonly item_id: string };
}

/**
 * A scalar of a document. `kind` is s for a string, n for a number, b for a boolean; `value_text` is
 * its text whatever the kind, `value_num` is null but for numbers, `value_instant` but for strings
 * that are timestamps. `node` is the object that holds it.
 */
export interface LeafRow {
  readonly path: string;
  readonly kind: "s" | "n" | "b";
  readonly value_text: string;
  readonly value_num: number | null;
  readonly value_instant: string | null;
  readonly node: number;
}

/** An object inside a document: itself and all below it are the nodes `node` to `node_last`. */
export interface NodeRow {
  readonly path: string;
  readonly node: number;
  readonly node_last: number;
}

/** The rows of one document. */
export interface LeafRows {
  readonly leaves: readonly LeafRow[];
  readonly nodes: readonly NodeRow[];
}

type Step =
  | { readonly path: string | undefined; readonly value: unknown; readonly node: number }
  | { readonly path: string; readonly closes: number };

/**
 * Turns a JSON document into the rows that a filter is compiled against: the leaves and elements of
 * `flattenDocument`, the elements numbered from 1 so that one comes before all below it. The document
 * is the node 0 and has no row of its own. Paths and texts are in the form of {@link toStoredText}.
 */
export function toLeafRows(document: unknown): LeafRows {
  const leaves: LeafRow[] = [];
  const nodes: NodeRow[] = [];
  let count = 0;
  const waiting: Step[] = [{ path: undefined, value: document, node: 0 }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    if ("closes" in step) {
      nodes.push({ path: toStoredText(step.path), node: step.closes, node_last: count });
      continue;
    }
    const { path, value, node } = step;
    if (Array.isArray(value)) {
      for (const item of value) waiting.push({ path, value: item, node });
    } else if (typeof value === "object" && value !== null) {
      let holder = node;
      if (path !== undefined) {
        count += 1;
        holder = count;
        waiting.push({ path, closes: holder });
      }
      for (const [key, member] of Object.entries(value)) {
        const below = path === undefined ? key : `${path}.${key}`;
        waiting.push({ path: below, value: member, node: holder });
      }
    } else if (path !== undefined && isScalar(value)) {
      leaves.push(toLeafRow(path, value, node));
    }
  }
  return { leaves, nodes };
}

function toLeafRow(path: string, value: Scalar, node: number): LeafRow {
  return {
    path: toStoredText(path),
    kind: typeof value === "string" ? "s" : typeof value === "number" ? "n" : "b",
    value_text: toStoredText(String(value)),
    value_num: typeof value === "number" ? value : null,
    value_instant: (typeof value === "string" ? parseInstant(value) : undefined) ?? null,
    node,
  };
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
