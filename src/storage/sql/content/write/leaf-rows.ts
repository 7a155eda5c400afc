import { isScalar, type Scalar } from "../../../../domain/kql/index.ts";
import { KEY_KINDS, type LeafKey, toLeafKey } from "../filter/leaf-key.ts";
import { toStoredText } from "../filter/stored-text.ts";

/**
 * A scalar of a document, in the object `node`. `text` is its text form, null where that is the key without
 * its first letter.
 */
export interface Leaf {
  readonly path: string;
  readonly key: LeafKey;
  readonly text: string | null;
  readonly node: number;
}

/** An object inside a document; it and its descendants have the numbers `node` to `nodeLast`. */
export interface Node {
  readonly path: string;
  readonly node: number;
  readonly nodeLast: number;
}

/** The rows of one document. */
export interface LeafRows {
  readonly leaves: readonly Leaf[];
  readonly nodes: readonly Node[];
}

type Step =
  | { readonly path: string | undefined; readonly value: unknown; readonly node: number }
  | { readonly path: string; readonly closes: number };

/**
 * Returns the rows of a JSON document that filters are compiled against: the leaves and elements of
 * `flattenDocument`. Elements are numbered from 1, in pre-order. The document itself is node 0 and has no
 * row. Paths and texts are in the form of {@link toStoredText}.
 */
export function toLeafRows(document: unknown): LeafRows {
  const leaves: Leaf[] = [];
  const nodes: Node[] = [];
  let count = 0;
  const waiting: Step[] = [{ path: undefined, value: document, node: 0 }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    if ("closes" in step) {
      nodes.push({ path: step.path, node: step.closes, nodeLast: count });
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
        const name = toStoredText(key);
        const below = path === undefined ? name : `${path}.${name}`;
        waiting.push({ path: below, value: member, node: holder });
      }
    } else if (path !== undefined && isScalar(value)) {
      leaves.push(toLeaf(path, value, node));
    }
  }
  return { leaves, nodes };
}

function toLeaf(path: string, value: Scalar, node: number): Leaf {
  const key = toLeafKey(value);
  const isShown = key.startsWith(KEY_KINDS.text) || key.startsWith(KEY_KINDS.boolean);
  return { path, key, text: isShown ? null : String(value), node };
}
