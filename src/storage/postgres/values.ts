import { type CustomTypesConfig, types } from "pg";
import { UNSET_TIME } from "../db/times.ts";

/** The object id of the type `bigint`. */
const INT8 = types.builtins.INT8;

/** Maximum number of digits that a number always represents exactly. */
const EXACT_DIGITS = 15;

const UNSET_TEXT = String(BigInt(UNSET_TIME));

/** Reads the columns of results. */
export const TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format: "text" | "binary") =>
    oid === INT8 && format !== "binary"
      ? readInt8
      : types.getTypeParser(oid, format)) as CustomTypesConfig["getTypeParser"],
};

/** Reads a 64-bit integer: as a number if that is exact. */
function readInt8(text: string): number | bigint {
  if (text.length <= EXACT_DIGITS) return Number(text);
  if (text === UNSET_TEXT) return UNSET_TIME;
  const number = Number(text);
  const exact = BigInt(text);
  return BigInt(number) === exact ? number : exact;
}

/** Replaces U+0000, which no text in PostgreSQL can contain, so that no stored text equals one with it. */
const NUL = "\x01\x03";

/** Returns the values to bind for parameters. */
export function toValues(parameters: readonly unknown[]): unknown[] {
  return parameters.map(toValue);
}

/** Returns the value to bind for a parameter. */
export function toValue(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", NUL) : value;
  // The text of a larger number may equal another number's text: it has only the digits that distinguish it from the
  // next.
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) return BigInt(value);
  return value;
}
