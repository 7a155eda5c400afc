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

/** The letters of Thai, Lao, Burmese, Khmer, Japanese and Chinese, which have no spaces between words. */
const UNSPACED =
  "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";

const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

/** A run of letters and digits, with or without spaces between its words. */
const RUN = new RegExp(`[[${UNSPACED}]&&[\\p{L}\\p{N}]]+|[[\\p{L}\\p{N}]--[${UNSPACED}]]+`, "gv");

/**
 * Splits a text into the words that it is found by: runs of letters and digits, cut at `SEARCH_LIMITS.letters`. They have
 * no accents, compatibility form (NFKD) and folded case, so that `GRÖSSE` and `Größe` are equal. A script without spaces
 * has a word at each letter, of it and the next one: `決勝戦` is `決勝`, `勝戦` and `戦`.
 */
export function toWords(text: string): readonly string[] {
  return splitWords(text, (letters) =>
    letters.map((letter, index) => letter + (letters[index + 1] ?? "")),
  );
}

/** Splits a search into words, like a text, with every second one of a script without spaces: `決勝戦` is `決勝` and `勝戦`. */
function toSearchWords(search: string): readonly string[] {
  return splitWords(search, (letters) =>
    letters.flatMap((_, index) => {
      if (index % 2 === 1) return [];
      const from = Math.max(0, Math.min(index, letters.length - 2));
      return letters.slice(from, from + 2).join("");
    }),
  );
}

/** Splits a text into words; `split` splits the letters of a run of a script without spaces. */
function splitWords(
  text: string,
  split: (letters: readonly string[]) => readonly string[],
): readonly string[] {
  return toRuns(text).flatMap((run) => (IS_UNSPACED.test(run) ? split(Array.from(run)) : cut(run)));
}

/**
 * Splits a text into runs of letters and digits, folded. Combining marks are removed before decomposition too: normalizing a
 * long run of them takes time quadratic in its length.
 */
function toRuns(text: string): readonly string[] {
  // ASCII has no accents, and only lower and upper case differ in form.
  const runs = ASCII.test(text)
    ? text.toLowerCase().match(/[a-z0-9]+/g)
    : foldCase(removeMarks(removeMarks(foldCase(text.toWellFormed())).normalize("NFKD"))).match(
        RUN,
      );
  return runs ?? [];
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
  const words = [...new Set(toSearchWords(search))];
  if (words.length > SEARCH_LIMITS.words) {
    throw rejection(path, `must not have more than ${SEARCH_LIMITS.words} words`);
  }
  return words;
}

function rejection(path: string, description: string) {
  return invalidField(path, "SEARCH_INVALID", description);
}

/** Reports whether a word of a search finds longer words: too many begin with one or two letters of other scripts. */
export function findsLonger(word: string): boolean {
  return word.length > 2 || (IS_UNSPACED.test(word) && Array.from(word).length === 1);
}

/** Reports whether a word of a search finds an item by its words. */
export function isFoundBy(words: readonly string[], word: string): boolean {
  return findsLonger(word) ? words.some((it) => it.startsWith(word)) : words.includes(word);
}
