import { listNearNames } from "../domain/messages/near-names.ts";
import { quote } from "./quote.ts";

/**
 * Ends the message about an unknown name: proposes the known names that it may be a misspelling of,
 * nearest first, or else lists the known ones. Ignores case and separators: `Page-Size` is near `page_size`.
 */
export function suggest(name: string, known: readonly string[]): string {
  const bySimpleName = new Map(known.map((it) => [simplify(it), it]));
  const near = listNearNames(simplify(name), bySimpleName.keys());
  if (near.length === 0) return `known: ${known.length === 0 ? "none" : known.join(", ")}`;
  return `did you mean ${near.map((it) => quote(bySimpleName.get(it) ?? it)).join(" or ")}?`;
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}
