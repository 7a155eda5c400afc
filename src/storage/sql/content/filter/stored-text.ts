/**
 * What stands for U+0000 to U+0005. A pair begins with one of two characters and ends in one of three
 * others that stand nowhere else, so that equality, order, prefixes and patterns of the stored texts
 * are those of the texts.
 */
const PAIRS = ["\x01\x03", "\x01\x04", "\x01\x05", "\x02\x03", "\x02\x04", "\x02\x05"];

/** What is not stored as it is; a pair of surrogates, which is, among it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the matter
const SPECIAL = /[\x00-\x05\ud800-\udfff]/;

/**
 * Turns a text of a document or a filter into the form that columns hold: without NUL, which ends a
 * text for SQLite's GLOB and which Postgres refuses, and with U+FFFD for a lone surrogate, which no
 * database keeps. Any text of readable characters stays as it is.
 */
export function toStoredText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.toWellFormed().replace(/\p{Cc}/gu, (it) => PAIRS[it.charCodeAt(0)] ?? it);
}

/** Joins the parts of a pattern, in stored form, by a character that no stored text has. */
export function toPatternText(parts: readonly string[]): string {
  return parts.join("\0");
}

/** Splits what {@link toPatternText} joined. */
export function readPatternText(text: string): string[] {
  return text.split("\0");
}

/**
 * Answers the least text above every text that starts with `prefix`, by code points; undefined when
 * there is none. `prefix` is in stored form.
 */
export function nextAfterPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const codePoint = last.codePointAt(0) ?? 0;
    if (codePoint === 0x10ffff) continue;
    const next = codePoint === 0xd7ff ? 0xe000 : codePoint + 1;
    return characters.join("") + String.fromCodePoint(next);
  }
  return undefined;
}
