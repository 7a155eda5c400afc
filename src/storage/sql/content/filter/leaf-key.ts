import {
  type Equality,
  type Instant,
  parseInstant,
  type Scalar,
} from "../../../../domain/kql/index.ts";
import { toStoredText } from "./stored-text.ts";

/**
 * A scalar as one text: what it is, then its value, so that equal values have equal keys and the order
 * of the keys of one kind is the order of their values.
 *
 *     b true          a boolean
 *     n 16 hex digits a number, by its bits
 *     s text          any other string, in the form of `toStoredText`
 *     t instant       a string that is a timestamp
 */
export type LeafKey = string;

/** The first letters of the keys: of one kind each. */
export const KEY_KINDS = { boolean: "b", number: "n", text: "s", instant: "t" } as const;

/** Makes the key of a scalar. */
export function toLeafKey(value: Scalar): LeafKey {
  if (typeof value === "number") return toNumberKey(value);
  if (typeof value === "boolean") return `b${value}`;
  const instant = parseInstant(value);
  return instant === undefined ? toTextKey(value) : toInstantKey(instant);
}

/** Lists the keys of the scalars that a value equals. */
export function toEqualKeys({ text, number, instant }: Equality): readonly LeafKey[] {
  return [
    ...(instant === undefined ? [toTextKey(text)] : [toInstantKey(instant)]),
    ...(number === undefined ? [] : [toNumberKey(number)]),
    ...(text === "true" || text === "false" ? [`b${text}`] : []),
  ];
}

/** Makes the key of a text that is no timestamp. */
export function toTextKey(text: string): LeafKey {
  return `s${toStoredText(text)}`;
}

/** Makes the key of a timestamp. */
export function toInstantKey(instant: Instant): LeafKey {
  return `t${instant}`;
}

const VIEW = new DataView(new ArrayBuffer(8));
const SIGN = 0x8000_0000;

/** Makes the key of a number: a positive one's bits with the sign set, a negative one's turned over. */
export function toNumberKey(number: number): LeafKey {
  // There are two zeros, and they are equal.
  VIEW.setFloat64(0, number === 0 ? 0 : number);
  const [high, low] = [VIEW.getUint32(0), VIEW.getUint32(4)];
  return high >= SIGN ? `n${toHex(~high)}${toHex(~low)}` : `n${toHex(high | SIGN)}${toHex(low)}`;
}

function toHex(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}
