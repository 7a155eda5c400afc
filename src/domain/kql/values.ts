import {
  type ClockReading,
  type Instant,
  isNowExpression,
  parseClockReading,
  parseInstant,
  parseInstantBound,
} from "./instant.ts";
import { type KqlNode, type KqlValue, listClauses } from "./node.ts";

/** A scalar of a document. */
export type Scalar = string | number | boolean;

/** Reports whether a value of a document is a scalar. */
export function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/**
 * The operand of an equality. It matches strings with this exact text or, if it is a timestamp, any timestamp of that
 * instant. A decimal literal also matches numbers, and a text such as `true` matches booleans.
 */
export interface Equality {
  readonly text: string;
  readonly number?: number;
  readonly instant?: Instant;
}

/**
 * The bound of a range.
 * - `number` compares with numbers only.
 * - `instant` compares with timestamps only (`now`).
 * - `text` compares with strings by code points, but with timestamps by `instant` if the bound has one.
 * - `nothing` matches nothing: `null`, a pattern, a placeholder, or `now` without a clock.
 */
export type RangeBound =
  | { readonly kind: "nothing" }
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "instant"; readonly instant: Instant }
  | { readonly kind: "text"; readonly text: string; readonly instant?: Instant };

/** Returns the text of a text or boolean value; undefined for a pattern, null or template. */
export function toText(value: KqlValue): string | undefined {
  if (value.kind === "text") return value.text;
  return value.kind === "bool" ? String(value.value) : undefined;
}

/** Parses the operand of an equality; quotes make no difference. */
export function parseEquality(text: string): Equality {
  const number = parseDecimal(text);
  const instant = parseInstant(text);
  return {
    text,
    ...(number === undefined ? {} : { number }),
    ...(instant === undefined ? {} : { instant }),
  };
}

/** Parses the bound of a range; `now` is in Unix milliseconds. */
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

/** Parses a decimal literal such as `-1.50`, `2e3` or `007`; undefined for `+5`, `.5` and `0x1`. */
export function parseDecimal(text: string): number | undefined {
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

/** Compares two texts by code points, like SQLite and PostgreSQL "C": negative, zero or positive. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = toOrder(left.charCodeAt(index)) - toOrder(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Sorts surrogates after the units from U+E000 on, because their code points are higher. */
function toOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Reports whether a filter's result depends on the clock, so that it may be cached 30 seconds at most. */
export function readsNow(node: KqlNode): boolean {
  return listClockReadings(node).length > 0;
}

/** Lists the clock-dependent bounds of a filter. */
export function listClockReadings(node: KqlNode): readonly ClockReading[] {
  return listClauses(node).flatMap((it) => {
    const text = it.type === "range" ? toText(it.value) : undefined;
    return (text && parseClockReading(text)) || [];
  });
}
