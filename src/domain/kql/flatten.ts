import { isScalar, type Scalar } from "./values.ts";

/** A scalar of a document and its dotted path, without array positions. */
export interface Leaf {
  readonly path: string;
  readonly value: Scalar;
}

/** An object inside a document and its dotted path. */
export interface Element {
  readonly path: string;
  readonly value: object;
}

/** The flattened form of a document; the document itself is not among its elements. */
export interface FlatDocument {
  readonly leaves: readonly Leaf[];
  readonly elements: readonly Element[];
}

/**
 * Flattens a JSON document: arrays do not appear in paths, `null` and empty containers have no leaf, a
 * key with a dot equals nesting, and only own properties count. The order differs from the document's.
 */
export function flattenDocument(document: unknown): FlatDocument {
  const leaves: Leaf[] = [];
  const elements: Element[] = [];
  const waiting: { readonly path: string | undefined; readonly value: unknown }[] = [
    { path: undefined, value: document },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value } = next;
    if (Array.isArray(value)) {
      for (const item of value) waiting.push({ path, value: item });
    } else if (typeof value === "object" && value !== null) {
      if (path !== undefined) elements.push({ path, value });
      for (const [key, member] of Object.entries(value)) {
        waiting.push({ path: path === undefined ? key : `${path}.${key}`, value: member });
      }
    } else if (path !== undefined && isScalar(value)) {
      leaves.push({ path, value });
    }
  }
  return { leaves, elements };
}
