/** Maximum length of a caller's text that an error message quotes, in UTF-16 units. */
const QUOTED = 100;

const encoder = new TextEncoder();

/** Cuts a caller's text for quoting in an error message, between characters. */
export function clip(text: string): string {
  if (text.length <= QUOTED) return text;
  const end = isInsidePair(text, QUOTED) ? QUOTED - 1 : QUOTED;
  return `${text.slice(0, end)}…`;
}

/** Quotes a caller's text for an error message: escaped, and cut if long. */
export function quote(text: string): string {
  return JSON.stringify(clip(text));
}

/** Cuts a text to a number of bytes in UTF-8, between characters, and appends `…` to a cut one. */
export function clipBytes(text: string, bytes: number): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= bytes) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(bytes));
  return read === text.length ? text : `${text.slice(0, read)}…`;
}

/** Joins a caller's texts for an error message: the first ten, each cut, and the number of the rest. */
export function clipList(texts: readonly string[]): string {
  const shown = texts.slice(0, 10).map(clip).join(", ");
  return texts.length > 10 ? `${shown} and ${texts.length - 10} more` : shown;
}

/** Reports whether an offset lies between the two units of a surrogate pair. */
export function isInsidePair(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
