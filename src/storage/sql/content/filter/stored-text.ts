/**
 * The escapes of U+0000 to U+0005. Each is a lead and a trail character that occur nowhere else, so that
 * equality, order, prefixes and patterns are the same for stored texts as for the originals.
 */
const PAIRS = ["\x01\x03", "\x01\x04", "\x01\x05", "\x02\x03", "\x02\x04", "\x02\x05"];

/** Finds texts that may need an escape; surrogate pairs, which need none, are among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the ones to find
const SPECIAL = /[\x00-\x05\ud800-\udfff]/;

/**
 * Returns a text of a document or filter in the form that columns hold: without NUL, which ends a text for
 * SQLite's GLOB and which PostgreSQL rejects, and with U+FFFD for lone surrogates, which no database keeps.
 * Texts of printable characters are unchanged.
 */
export function toStoredText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.toWellFormed().replace(/\p{Cc}/gu, (it) => PAIRS[it.charCodeAt(0)] ?? it);
}

/**
 * Returns the least text above every text that starts with `prefix`, by code points; undefined if there is
 * none. `prefix` is in stored form.
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
