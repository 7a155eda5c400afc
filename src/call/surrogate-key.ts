/** The longest header, in bytes: longer ones are cut or refused on their way. */
const MAX_BYTES = 4_096;

/**
 * Writes the `Surrogate-Key` header of an answer: the keys of what took part, each once, a blank
 * between them, encoded so that a key holds no blank.
 *
 * In a header that would become longer than 4 KiB, single resources (`worldcup/events/match-1`) give
 * way to their collection (`worldcup/events`), the collection with the most of them first, and where
 * that is not enough, everything of a project to the project. So who purges a changed resource has to
 * purge its key and each beginning of it that ends before a slash, and then misses no answer.
 */
export function toSurrogateKey(keys: Iterable<string>): string {
  let encoded = new Set(Array.from(keys, encode));
  encoded.delete("");
  for (const depth of [2, 1]) {
    while (sizeOf(encoded) > MAX_BYTES) {
      const largest = findLargest(encoded, depth);
      if (largest === undefined) break;
      encoded = new Set(Array.from(encoded, (it) => (it.startsWith(`${largest}/`) ? largest : it)));
    }
  }
  return [...encoded].join(" ");
}

/** Finds the beginning of so many segments whose longer keys take most, if there are any. */
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
  return Array.from(keys).reduce((sum, { length }) => sum + length + 1, -1);
}

function encode(key: string): string {
  return key.replace(/[^\w.~/-]/gu, (character) =>
    Array.from(
      Buffer.from(character),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join(""),
  );
}
