import { type Instant, isNowExpression, parseInstant, parseInstantBound } from "./instant.ts";
import type { KqlValue } from "./node.ts";

/** A scalar of a document. */
export type Scalar = string | number | boolean;

/**
 * What a value equals: strings with this very text or, when the text is a timestamp, any timestamp
 * of that instant; numbers when it is a decimal literal; booleans with that text.
 */
export interface Equality {
  readonly text: string;
  readonly number?: number;
  readonly instant?: Instant;
}

/**
 * What a range compares with. `number`: numbers only. `instant`: timestamps only (`now`).
 * `text`: strings by code points, but timestamps by `instant` when the bound has one. `nothing`:
 * `null`, a pattern, a placeholder, or `now` without a clock.
 */
export type RangeBound =
  | { readonly kind: "nothing" }
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "instant"; readonly instant: Instant }
  | { readonly kind: "text"; readonly text: string; readonly instant?: Instant };

/** Answers the text of a value that stands for one text; undefined for a pattern, null or template. */
export function toText(value: KqlValue): string | undefined {
  if (value.kind === "text") return value.text;
  return value.kind === "bool" ? String(value.value) : undefined;
}

/** Reads what a text or boolean equals; quotes change nothing. */
export function parseEquality(text: string): Equality {
  const number = parseDecimal(text);
  const instant = parseInstant(text);
  return {
    text,
    ...(number === undefined ? {} : { number }),
    ...(instant === undefined ? {} : { instant }),
  };
}

/** Reads the bound of a range; `now` is in Unix milliseconds. */
export function parseRangeBound(value: KqlValue, now: number | undefined): RangeBound {
  const text = toText(value);
  if (text === undefined) return { kind: "nothing" };
  const number = parseDecimal(text);
  if (number !== undefined) return { kind: "number", number };
  const instant = parseInstantBound(text, now);
  if (isNowExpression(text)) {
    return instant === undefined ? { kind: "nothing" } : { kind: "instant", instant };
  }
  return instant === undefined ? { kind: "text", text } : { kind: "text", text, instant };
}

/** Parses a decimal literal such as `-1.50` or `2e3`; leading zeros count, `+5`, `.5` and `0x1` do not. */
export function parseDecimal(text: string): number | undefined {
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

/** Orders two texts by code points, as SQLite and Postgres "C" do: negative, zero or positive. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = toOrder(left.charCodeAt(index)) - toOrder(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Lifts surrogates above the units from U+E000 on, where their code points belong. */
function toOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
