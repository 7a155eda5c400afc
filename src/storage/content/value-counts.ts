/** Maximum number of different values of a field; further ones are not counted. */
const MOST_VALUES = 10_000;

/** Adds to the number of items with a value. */
export function addValue(
  counts: Map<string, number> | undefined,
  value: string,
  count: number,
): void {
  const known = counts?.get(value);
  if (counts === undefined || (known === undefined && counts.size >= MOST_VALUES)) return;
  counts.set(value, (known ?? 0) + count);
}
