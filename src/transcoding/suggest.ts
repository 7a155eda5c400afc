import { clip } from "../domain/messages/clip.ts";
import { quote } from "./quote.ts";

/** The maximum number of near names that a message proposes. */
const MAX_NEAR = 3;

/**
 * Ends the message about an unknown name: proposes the known names that it may be a misspelling of,
 * nearest first, or else lists the known ones.
 */
export function suggest(name: string, known: readonly string[]): string {
  const near = findNear(clip(name), known);
  if (near.length > 0) return `did you mean ${near.map(quote).join(" or ")}?`;
  return `known: ${known.length === 0 ? "none" : known.join(", ")}`;
}

function findNear(name: string, known: readonly string[]): string[] {
  const text = simplify(name);
  return known
    .map((it) => ({ name: it, distance: editDistance(text, simplify(it)) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(text.length / 4)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NEAR)
    .map((it) => it.name);
}

/** Drops case and separators: `PageSize` and `page-size` are near `page_size`. */
function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/** Counts the insertions, deletions, substitutions and swaps of neighbours between two texts. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      const [left = 0, up = 0, diagonal = 0] = [next[j - 1], row[j], row[j - 1]];
      let distance = Math.min(left + 1, up + 1, diagonal + cost);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        distance = Math.min(distance, (before[j - 2] ?? 0) + 1);
      }
      next.push(distance);
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}
