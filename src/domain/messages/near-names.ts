/** Maximum number of suggested names. */
const SUGGESTED = 3;
/** Longer names get no suggestions: comparing takes time by the product of both lengths. */
const LONGEST = 64;

/**
 * Returns `; did you mean 'a' or 'b'?` with the known names nearest to an unknown one, or an empty text
 * when none differs in at most a third of its characters.
 */
export function suggestNames(unknown: string, known: Iterable<string>): string {
  const near = listNearNames(unknown, known).map((name) => `'${name}'`);
  return near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
}

/** Lists the known names nearest to an unknown one, the nearest first. */
export function listNearNames(unknown: string, known: Iterable<string>): string[] {
  if (unknown.length > LONGEST) return [];
  const most = Math.max(1, Math.floor(unknown.length / 3));
  return Array.from(known, (name) => ({ name, distance: editDistance(unknown, name) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTED)
    .map(({ name }) => name);
}

/**
 * Counts the insertions, deletions, replacements and swaps of neighbours that turn one text into another
 * (optimal string alignment).
 */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] ?? 0) + (to[at] === from[index] ? 0 : 1);
      const isSwap = at > 0 && to[at - 1] === from[index] && to[at] === from[index - 1];
      const swapped = isSwap ? (before[at - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
