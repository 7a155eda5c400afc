import { invalidField } from "../base/field-errors.ts";

/** Maximum size of a search, of a word, and of the texts that a search finds an item by. */
export const SEARCH_LIMITS = {
  characters: 256,
  words: 16,
  letters: 64,
  wordsOfItem: 5_000,
} as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Splits a text into words: runs of letters and digits, without accents, in compatibility form (NFKD) and folded
 * case, so that `GRÖSSE` and `Größe` are equal. A word is cut at `SEARCH_LIMITS.letters`.
 *
 * Combining marks are removed before decomposition too: normalizing a long run of them takes time
 * quadratic in its length.
 */
export function toWords(text: string): readonly string[] {
  // ASCII has no accents, and only lower and upper case differ in form.
  const words = ASCII.test(text)
    ? text.toLowerCase().match(/[a-z0-9]+/g)
    : foldCase(removeMarks(removeMarks(foldCase(text.toWellFormed())).normalize("NFKD"))).match(
        /[\p{L}\p{N}]+/gu,
      );
  return words?.map(cut) ?? [];
}

/** Folds case as Unicode does in full (`ß` is `ss`); `ı` becomes `i` as well. */
function foldCase(text: string): string {
  // Upper case expands `ß`, but keeps `ẞ`, which lower case makes `ß` first. A sigma depends on its place.
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

function removeMarks(text: string): string {
  return text.replace(/\p{M}+/gu, "");
}

function cut(word: string): string {
  return word.length <= SEARCH_LIMITS.letters
    ? word
    : Array.from(word).slice(0, SEARCH_LIMITS.letters).join("");
}

/**
 * Parses a search into distinct words; none when it has no letters or digits. INVALID_ARGUMENT
 * `SEARCH_INVALID` at `path` above the limits.
 */
export function parseSearch(search: string, path: string): readonly string[] {
  if (search === "") return [];
  if (Array.from(search).length > SEARCH_LIMITS.characters) {
    throw rejection(path, `must not have more than ${SEARCH_LIMITS.characters} characters`);
  }
  const words = [...new Set(toWords(search))];
  if (words.length > SEARCH_LIMITS.words) {
    throw rejection(path, `must not have more than ${SEARCH_LIMITS.words} words`);
  }
  return words;
}

function rejection(path: string, description: string) {
  return invalidField(path, "SEARCH_INVALID", description);
}

/** Minimum length of a word of a search to find longer words: too many begin with a shorter one. */
export const SHORTEST_START = 3;

/** Reports whether a word of a search finds an item by its words. */
export function isFoundBy(words: readonly string[], word: string): boolean {
  return word.length < SHORTEST_START
    ? words.includes(word)
    : words.some((it) => it.startsWith(word));
}
