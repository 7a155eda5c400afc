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

/** Maximum number of suggested names. */
const SUGGESTED = 3;
/** Longer names get no suggestions: comparing takes time by the product of both lengths. */
const LONGEST = 64;

/** The most pairs of characters that are compared: the known names may be the keys of someone's JSON. */
const MOST_PAIRS = 2 ** 20;

/**
 * Returns `; did you mean 'a' or 'b'?` with the known names nearest to an unknown one, or an empty text
 * when none differs in at most a third of its characters.
 */
export function suggestNames(unknown: string, known: Iterable<string>): string {
  const near = listNearNames(unknown, known).map((name) => `'${name}'`);
  return near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
}

/** Lists the known names nearest to an unknown one, the nearest first. */
export function listNearNames(unknown: string, known: Iterable<string>): string[] {
  if (unknown.length > LONGEST) return [];
  const most = Math.max(1, Math.floor(unknown.length / 3));
  const near: { readonly name: string; readonly distance: number }[] = [];
  let pairs = 0;
  for (const name of known) {
    if (Math.abs(name.length - unknown.length) > most) continue;
    pairs += name.length * unknown.length;
    if (pairs > MOST_PAIRS) break;
    const distance = editDistance(unknown, name);
    if (distance <= most) near.push({ name, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTED)
    .map(({ name }) => name);
}

/**
 * Counts the insertions, deletions, replacements and swaps of neighbors that turn one text into another (optimal
 * string alignment).
 */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] ?? 0) + (to[at] === from[index] ? 0 : 1);
      const isSwap = at > 0 && to[at - 1] === from[index] && to[at] === from[index - 1];
      const swapped = isSwap ? (before[at - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * Removes all trailing occurrences of a character. A regular expression would take quadratic time on long
 * runs of it inside the text.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** Converts a lowerCamelCase name to snake_case. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Matches the secret part of tokens and signing secrets, of URLs with a password, of JWTs, and of signed playlist URLs. A URL
 * may be percent-encoded, or cut, with `…` at its end.
 */
const CREDENTIALS = new RegExp(
  [
    /(?<=mq[apsv]_|whsec_)[\w+/=%-]+/,
    /(?<=(?::|%3[Aa])(?:\/|%2[Ff]){2})(?:(?!%2[Ff]|%40)[^\s/?#"'@…])+(?=@|%40|…)/,
    /eyJ[\w-]{8,}[\w.-]*/,
    /(?<![\w-])[\w-]{43}\.\d{1,12}\.[\w.~-]*/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/**
 * Replaces what has the form of a credential in a text: callers put credentials where they do not belong. The time grows
 * with the length of the text.
 */
export function withholdCredentials(text: string): string {
  return text.replace(CREDENTIALS, "…");
}
