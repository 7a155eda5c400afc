import { hash } from "node:crypto";

/** The first of the characters, each of which takes four bytes in UTF-8. */
const FIRST = 0x20000;

/** Creates a text of characters of four bytes that no compression makes short; another for each `name`. */
export function createLongText(name: string, characters: number): string {
  const places = Array.from({ length: characters }, (_, index) =>
    Number.parseInt(hash("sha256", `${name} ${index}`).slice(0, 4), 16),
  );
  return String.fromCodePoint(...places.map((place) => FIRST + (place & 0x7fff)));
}
