/** The bytes of stored documents that are read at a time. */
const MOST_BYTES = 1024 * 1024;

/** The least bytes that a document counts in a part, so that at most 512 are read at a time. */
const LEAST_BYTES = 2048;

/** The size of a document. */
export interface Size {
  readonly bytes: number;
}

/** Cuts documents into parts that are read together. */
export function toParts<Row extends Size>(sizes: readonly Row[]): readonly (readonly Row[])[] {
  return toSizedGroups(sizes, ({ bytes }) => Math.max(bytes, LEAST_BYTES));
}

/** Cuts records into groups whose stored documents have at most 1 MiB together, or one larger document. */
export function toSizedGroups<Record>(
  records: readonly Record[],
  sizeOf: (record: Record) => number,
): readonly (readonly Record[])[] {
  const groups: Record[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const own = sizeOf(record);
    size += own;
    if (size > MOST_BYTES) {
      groups.push([]);
      size = own;
    }
    groups.at(-1)?.push(record);
  }
  return groups;
}
