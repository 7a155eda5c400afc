/** The bytes of stored documents that are read at a time. */
const MOST_BYTES = 1024 * 1024;

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
