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

/** The path of a value in documents, and those of its members: found by key, they are written and hashed once. */
export class LeafPath {
  /** In the form of {@link toStoredText}; undefined for the document itself. */
  readonly name: string | undefined;
  readonly #members = new Map<string, LeafPath>();

  constructor(name?: string) {
    this.name = name;
  }

  /** Returns the path of a member; `name` is its name in paths, if it is not the key. */
  member(key: string, name = key): LeafPath {
    const known = this.#members.get(key);
    if (known !== undefined) return known;
    const own = toStoredText(name);
    const made = new LeafPath(this.name === undefined ? own : `${this.name}.${own}`);
    this.#members.set(key, made);
    return made;
  }
}

/** A value to visit, and the element that holds it; or the end of that element. */
interface Step {
  readonly path: LeafPath;
  readonly value: unknown;
  readonly node: number;
}

/** Stands for the end of an element. */
const CLOSED = Symbol();

/**
 * Returns the rows of a JSON document that filters are compiled against: the leaves and elements of
 * `flattenDocument`. Elements are numbered from 1, in pre-order, from the last to the first. The document itself is
 * node 0 and has no row. Paths and texts are in the form of {@link toStoredText}. `root` may be shared by documents.
 */
export function toLeafRows(document: unknown, root = new LeafPath()): LeafRows {
  const leaves: Leaf[] = [];
  const nodes: Node[] = [];
  let count = 0;
  const waiting: Step[] = [{ path: root, value: document, node: 0 }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { path, value, node } = step;
    if (value === CLOSED) {
      nodes.push({ path: path.name as string, node, nodeLast: count });
    } else if (typeof value !== "object" || value === null) {
      if (path.name !== undefined && isScalar(value)) leaves.push(toLeaf(path.name, value, node));
    } else if (Array.isArray(value)) {
      for (const item of value) waiting.push({ path, value: item, node });
    } else {
      let holder = node;
      if (path.name !== undefined) {
        count += 1;
        holder = count;
        waiting.push({ path, value: CLOSED, node: holder });
      }
      for (const key of Object.keys(value)) {
        const member = (value as Record<string, unknown>)[key];
        waiting.push({ path: path.member(key), value: member, node: holder });
      }
    }
  }
  return { leaves, nodes };
}

function toLeaf(path: string, value: Scalar, node: number): Leaf {
  const key = toLeafKey(value);
  const isShown = key.startsWith(KEY_KINDS.text) || key.startsWith(KEY_KINDS.boolean);
  return { path, key, text: isShown ? null : String(value), node };
}
