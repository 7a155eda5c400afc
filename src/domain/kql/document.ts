import { type Instant, parseInstant } from "./instant.ts";
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

/** A scalar of a document, with its text and instant computed once for all clauses that compare with them. */
export class TestedValue {
  readonly scalar: Scalar;
  #text: string | undefined;
  #instant: Instant | null | undefined;

  constructor(scalar: Scalar) {
    this.scalar = scalar;
  }

  get text(): string {
    this.#text ??= String(this.scalar);
    return this.#text;
  }

  /** Undefined unless it is a text with a timestamp. */
  get instant(): Instant | undefined {
    if (this.#instant === undefined) {
      this.#instant = (typeof this.scalar === "string" && parseInstant(this.scalar)) || null;
    }
    return this.#instant ?? undefined;
  }
}

/** A document or an element of it, flattened on first use: its leaves, their values and its elements by path. */
export class KqlDocument {
  readonly #document: unknown;
  #flat: FlatDocument | undefined;
  #values: Map<string, TestedValue[]> | undefined;
  #elements: Map<string, KqlDocument[]> | undefined;

  constructor(document: unknown) {
    this.#document = document;
  }

  get leaves(): FlatDocument["leaves"] {
    return this.#flattened.leaves;
  }

  get values(): ReadonlyMap<string, readonly TestedValue[]> {
    if (this.#values === undefined) {
      this.#values = new Map();
      for (const { path, value } of this.leaves) add(this.#values, path, new TestedValue(value));
    }
    return this.#values;
  }

  elementsAt(path: string): readonly KqlDocument[] {
    if (this.#elements === undefined) {
      this.#elements = new Map();
      for (const { path, value } of this.#flattened.elements) {
        add(this.#elements, path, new KqlDocument(value));
      }
    }
    return this.#elements.get(path) ?? [];
  }

  get #flattened(): FlatDocument {
    this.#flat ??= flattenDocument(this.#document);
    return this.#flat;
  }
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
