import { type Equality, type Instant, parseInstant, type Scalar } from "../../domain/kql/index.ts";
import { VALUE_LENGTH } from "./indexed-fields.ts";

/**
 * A scalar as text: the letter of its kind, then its value. Equal values have equal keys, and the keys of
 * one kind are ordered as their values.
 *
 *     b true          a boolean
 *     n 16 hex digits a number; see `toNumberKey`
 *     s text          any other string, in the form of `toStoredText`
 *     t instant       a string that is a timestamp
 */
export type LeafKey = string;

/** The first letter of each kind of key. */
export const KEY_KINDS = { boolean: "b", number: "n", text: "s", instant: "t" } as const;

/** Returns the key of a scalar. */
export function toLeafKey(value: Scalar): LeafKey {
  if (typeof value === "number") return toNumberKey(value);
  if (typeof value === "boolean") return `b${value}`;
  const instant = parseInstant(value);
  return instant === undefined ? toTextKey(value) : toInstantKey(instant);
}

/** Returns the keys of the scalars that equal a value, such as a text and a number. */
export function toEqualKeys({ text, number, instant }: Equality): readonly LeafKey[] {
  return [
    ...(instant === undefined ? [toTextKey(text)] : [toInstantKey(instant)]),
    ...(number === undefined ? [] : [toNumberKey(number)]),
    ...(text === "true" || text === "false" ? [`b${text}`] : []),
  ];
}

/** Returns the key of a text that is not a timestamp. */
export function toTextKey(text: string): LeafKey {
  return `s${toStoredText(text)}`;
}

/** Returns the key of a timestamp. */
export function toInstantKey(instant: Instant): LeafKey {
  return `t${instant}`;
}

const VIEW = new DataView(new ArrayBuffer(8));
const SIGN = 0x8000_0000;

/** Returns the key of a number: its IEEE 754 bits, the sign bit flipped, and all bits if negative. */
export function toNumberKey(number: number): LeafKey {
  // Negative zero equals zero.
  VIEW.setFloat64(0, number === 0 ? 0 : number);
  const [high, low] = [VIEW.getUint32(0), VIEW.getUint32(4)];
  return high >= SIGN ? `n${toHex(~high)}${toHex(~low)}` : `n${toHex(high | SIGN)}${toHex(low)}`;
}

function toHex(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}

/**
 * The escapes of U+0000 to U+0005. Each is a lead and a trail character that occur nowhere else. Equality, order,
 * prefixes and patterns are therefore the same for stored texts as for the originals.
 */
const PAIRS = ["\x01\x03", "\x01\x04", "\x01\x05", "\x02\x03", "\x02\x04", "\x02\x05"];

/** Finds texts that may need an escape; surrogate pairs, which need none, are among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the ones to find
const SPECIAL = /[\x00-\x05\ud800-\udfff]/;

/**
 * Returns a text of a document or filter in the form of columns: without NUL, which ends a text for SQLite's GLOB and
 * which PostgreSQL rejects. Lone surrogates become U+FFFD, because no database stores them. Texts of printable
 * characters are unchanged.
 */
export function toStoredText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.toWellFormed().replace(/\p{Cc}/gu, (it) => PAIRS[it.charCodeAt(0)] ?? it);
}

const UNPAIRED = new Map(PAIRS.map((pair, code) => [pair, String.fromCharCode(code)]));

/** Returns the text of a stored form; a lone surrogate has become U+FFFD. */
export function fromStoredText(stored: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters stand for others
  return stored.replace(/[\x01\x02][\x03-\x05]/g, (pair) => UNPAIRED.get(pair) ?? pair);
}

/**
 * Returns the least text above every text that starts with `prefix`, by code points; undefined if there is none.
 * `prefix` is in stored form.
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

/** Cuts a key to its length in `content_value`, by characters, not by UTF-16 units. */
export function cutKey(key: LeafKey): string {
  return key.length < VALUE_LENGTH ? key : Array.from(key).slice(0, VALUE_LENGTH).join("");
}
