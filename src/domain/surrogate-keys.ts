import { type AnnouncedKind, KINDS } from "./kinds.ts";

/** Returns the surrogate key of the collection of a kind in a project, or of one of its resources. */
export function surrogateKeyOf(kind: AnnouncedKind, projectId: string, id?: string): string {
  const collection = `${projectId}/${KINDS[kind].collection}`;
  return id === undefined ? collection : `${collection}/${id}`;
}

/** The maximum length of the `Surrogate-Key` header, in bytes: proxies truncate or reject longer ones. */
const MAX_SURROGATE_KEY_BYTES = 4_096;

/**
 * Writes the `Surrogate-Key` header of a response: the keys of everything it was made from, each once,
 * percent-encoded and separated by spaces.
 *
 * If the header would exceed 4 KiB, single resources (`worldcup/events/match-1`) are replaced by their collection
 * (`worldcup/events`), the largest collection first. If that is not enough, all keys of a project are replaced by the
 * project. To purge every response that shows a resource, purge its key and every prefix of it that ends before a
 * slash.
 */
export function printSurrogateKeys(keys: Iterable<string>): string {
  let encoded = new Set<string>();
  for (const key of keys) if (key !== "") encoded.add(encode(key));
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
const PLAIN = /^[\w.~/-]*$/;

function encode(key: string): string {
  if (PLAIN.test(key)) return key;
  return key.replace(/[^\w.~/-]/gu, (character) =>
    Array.from(
      Buffer.from(character),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join(""),
  );
}
