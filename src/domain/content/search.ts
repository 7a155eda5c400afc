import { invalidField } from "../errors.ts";

/** Maximum size of a search. */
export const SEARCH_LIMITS = { characters: 256, words: 16 } as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Splits a text into words: runs of letters and digits, without accents, in lower case and compatibility
 * form (NFKD), so that `Ümläut` and `umlaut` are equal.
 *
 * Combining marks are removed before decomposition too: normalizing a long run of them takes time
 * quadratic in its length.
 */
export function toWords(text: string): readonly string[] {
  // ASCII has no accents, and only lower and upper case differ in form.
  if (ASCII.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return text
    .toWellFormed()
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/**
 * Parses a search into distinct words; none when it has no letters or digits. INVALID_ARGUMENT
 * `SEARCH_INVALID` at `path` above the limits.
 */
export function parseSearch(search: string, path: string): readonly string[] {
  if (search === "") return [];
  if (Array.from(search).length > SEARCH_LIMITS.characters) {
    throw refuse(path, `must not have more than ${SEARCH_LIMITS.characters} characters`);
  }
  const words = [...new Set(toWords(search))];
  if (words.length > SEARCH_LIMITS.words) {
    throw refuse(path, `must not have more than ${SEARCH_LIMITS.words} words`);
  }
  return words;
}

function refuse(path: string, description: string) {
  return invalidField(path, "SEARCH_INVALID", description);
}
