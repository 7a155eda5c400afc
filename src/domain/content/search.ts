import { invalidField } from "../errors.ts";

/** How long a search may be, and how many words it may hold. */
export const SEARCH_LIMITS = { characters: 256, words: 16 } as const;

/**
 * Lists the words of a text: runs of letters and digits, without accents, in lower case and in their
 * compatible form, so that `Ümläut` and `umlaut` are one.
 *
 * Accents go before the text is decomposed too: to bring a long run of them into their order takes time
 * by the square of its length.
 */
export function toWords(text: string): readonly string[] {
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
 * Parses a search into its words, each once; none when it holds nothing but signs. INVALID_ARGUMENT
 * `SEARCH_INVALID` at `path` past the limits.
 */
export function parseSearch(search: string, path: string): readonly string[] {
  if (Array.from(search).length > SEARCH_LIMITS.characters) {
    throw refuse(path, `it has more than ${SEARCH_LIMITS.characters} characters`);
  }
  const words = [...new Set(toWords(search))];
  if (words.length > SEARCH_LIMITS.words) {
    throw refuse(path, `it has more than ${SEARCH_LIMITS.words} words`);
  }
  return words;
}

function refuse(path: string, description: string) {
  return invalidField(path, "SEARCH_INVALID", description);
}
