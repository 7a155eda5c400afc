import { flattenDocument, type Scalar } from "../../domain/kql/index.ts";
import { KEY_KINDS, type LeafKey, toLeafKey, toStoredText } from "./leaf-key.ts";

/** A scalar of a document. `text` is its text form, or null if that is the key without its first letter. */
export interface Leaf {
  readonly path: string;
  readonly key: LeafKey;
  readonly text: string | null;
}

/** Returns the rows of a JSON document that compiled filters read: its leaves, their paths as {@link toStoredText}. */
export function toLeafRows(document: unknown): readonly Leaf[] {
  return flattenDocument(document).leaves.map(({ path, value }) =>
    toLeaf(toStoredText(path), value),
  );
}

function toLeaf(path: string, value: Scalar): Leaf {
  const key = toLeafKey(value);
  const isShown = key.startsWith(KEY_KINDS.text) || key.startsWith(KEY_KINDS.boolean);
  return { path, key, text: isShown ? null : String(value) };
}
