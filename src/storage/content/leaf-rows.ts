import { isScalar, type Scalar } from "../../domain/kql/index.ts";
import { KEY_KINDS, type LeafKey, toLeafKey, toStoredText } from "./leaf-key.ts";

/** A scalar of a document. `text` is its text form, or null if that is the key without its first letter. */
export interface Leaf {
  readonly path: string;
  readonly key: LeafKey;
  readonly text: string | null;
}

/** The path of a value in documents, with the paths of its members: found by key, they are written and hashed once. */
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

/** A value to visit, and its path. */
interface Step {
  readonly path: LeafPath;
  readonly value: unknown;
}

/**
 * Returns the rows of a JSON document that compiled filters read: the leaves of `flattenDocument`. Paths and texts
 * are in the form of {@link toStoredText}. `root` may be shared by documents.
 */
export function toLeafRows(document: unknown, root = new LeafPath()): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const waiting: Step[] = [{ path: root, value: document }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { path, value } = step;
    if (typeof value !== "object" || value === null) {
      if (path.name !== undefined && isScalar(value)) leaves.push(toLeaf(path.name, value));
    } else if (Array.isArray(value)) {
      for (const item of value) waiting.push({ path, value: item });
    } else {
      for (const [key, member] of Object.entries(value)) {
        waiting.push({ path: path.member(key), value: member });
      }
    }
  }
  return leaves;
}

function toLeaf(path: string, value: Scalar): Leaf {
  const key = toLeafKey(value);
  const isShown = key.startsWith(KEY_KINDS.text) || key.startsWith(KEY_KINDS.boolean);
  return { path, key, text: isShown ? null : String(value) };
}
