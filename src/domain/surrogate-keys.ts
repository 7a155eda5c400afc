import { type AnnouncedKind, KINDS } from "./kinds.ts";

/** Returns the surrogate key of the collection of a kind in a project, or of one of its resources. */
export function surrogateKeyOf(kind: AnnouncedKind, projectId: string, id?: string): string {
  const collection = `${projectId}/${KINDS[kind].collection}`;
  return id === undefined ? collection : `${collection}/${id}`;
}

/** The most content types whose keys a list has instead of its collection's. */
const MAX_TYPES = 5;

/** The maximum length of a content type with a key, in characters: CDNs ignore keys above 1 KiB. */
const MAX_TYPE_LENGTH = 100;

/**
 * Returns the surrogate keys of a list: every change of its items names one of them. `types` are the content types of
 * which each item must have one. Without them, or with too many, it is the key of the collection.
 */
export function listKeysOf(
  kind: AnnouncedKind,
  projectId: string,
  types: ReadonlySet<string> | undefined,
): readonly string[] {
  const keys = types && typeKeysOf(kind, projectId, types);
  const isTyped = keys !== undefined && keys.length === types?.size && keys.length <= MAX_TYPES;
  return isTyped ? keys : [surrogateKeyOf(kind, projectId)];
}

/** Returns the keys of content types, such as `worldcup/events/type:match`; an empty or long type has none. */
export function typeKeysOf(
  kind: AnnouncedKind,
  projectId: string,
  types: Iterable<string>,
): readonly string[] {
  return Array.from(types)
    .filter(({ length }) => length > 0 && length <= MAX_TYPE_LENGTH)
    .map((type) => surrogateKeyOf(kind, projectId, `type:${type}`));
}

/** The maximum length of the `Surrogate-Key` header, in bytes: proxies truncate or reject longer ones. */
const MAX_SURROGATE_KEY_BYTES = 4_096;

/**
 * Writes the `Surrogate-Key` header of a response: the keys of everything it was made from, each once,
 * percent-encoded and separated by spaces. `listed` are the keys of resources that the keys of their list cover.
 *
 * If the header would exceed 4 KiB, the listed resources are omitted. If that is not enough, single resources
 * (`worldcup/events/match-1`) are replaced by their collection (`worldcup/events`), the largest collection first, and
 * at last all keys of a project by the project.
 */
export function printSurrogateKeys(keys: Iterable<string>, listed: Iterable<string> = []): string {
  let encoded = new Set<string>();
  for (const key of keys) if (key !== "") encoded.add(encodeSurrogateKey(key));
  const complete = new Set(encoded);
  for (const key of listed) complete.add(encodeSurrogateKey(key));
  if (sizeOf(complete) <= MAX_SURROGATE_KEY_BYTES) return [...complete].join(" ");
  for (const depth of [2, 1]) {
    while (sizeOf(encoded) > MAX_SURROGATE_KEY_BYTES) {
      const largest = findLargest(encoded, depth);
      if (largest === undefined) break;
      encoded = new Set(
        Array.from(encoded, (key) => (key.startsWith(`${largest}/`) ? largest : key)),
      );
    }
  }
  return [...encoded].join(" ");
}

/** Finds the prefix of `depth` segments whose longer keys take the most bytes, if there is one. */
function findLargest(keys: Iterable<string>, depth: number): string | undefined {
  const sizes = new Map<string, number>();
  for (const key of keys) {
    const segments = key.split("/");
    if (segments.length <= depth) continue;
    const start = segments.slice(0, depth).join("/");
    sizes.set(start, (sizes.get(start) ?? 0) + key.length + 1);
  }
  const [largest] = Array.from(sizes).sort(([, a], [, b]) => b - a);
  return largest?.[0];
}

function sizeOf(keys: ReadonlySet<string>): number {
  let size = -1;
  for (const { length } of keys) size += length + 1;
  return size;
}

/** Most keys have no other characters; looking for one is faster than replacing them. */
const PLAIN = /^[\w.~/:-]*$/;

/** Returns a key as headers and webhooks have it: percent-encoded except for letters, digits and `_.~/:-`. */
export function encodeSurrogateKey(key: string): string {
  if (PLAIN.test(key)) return key;
  return key.replace(/[^\w.~/:-]/gu, (character) =>
    Array.from(
      Buffer.from(character),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join(""),
  );
}
