import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { Code, DomainError } from "../domain/base/errors.ts";
import { invalidField } from "../domain/base/field-errors.ts";
import { clip, listNearNames, quote } from "../domain/base/text.ts";
import { type JsonValue, LongInteger, readJsonNumber } from "./read-json.ts";

/** The value of a scalar field; 64-bit integers are bigints. */
export type Scalar = string | number | bigint | boolean | Uint8Array;

/**
 * Reads the JSON of a scalar as protobuf JSON does: numbers also as strings, 64-bit integers
 * exactly, bytes as base64. Throws VALUE_INVALID for any other type and for numbers out of range.
 */
export function readScalar(type: ScalarType, json: JsonValue, field: string): Scalar {
  switch (type) {
    case ScalarType.STRING:
      return readText(json, field);
    case ScalarType.BOOL:
      if (typeof json !== "boolean") throw wrongType(field, "true or false", json);
      return json;
    case ScalarType.BYTES:
      return readBytes(json, field);
    case ScalarType.DOUBLE:
      return readFloat(json, field, Number);
    case ScalarType.FLOAT:
      return readFloat(json, field, Math.fround);
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return Number(readInteger(json, field, -(2n ** 31n), 2n ** 31n - 1n));
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return Number(readInteger(json, field, 0n, 2n ** 32n - 1n));
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return readInteger(json, field, -(2n ** 63n), 2n ** 63n - 1n);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return readInteger(json, field, 0n, 2n ** 64n - 1n);
    default:
      return type satisfies never;
  }
}

/**
 * Reads a scalar from the text of a path or query: a boolean as `true` or `false`, any other type as
 * in a JSON string.
 */
export function readScalarText(type: ScalarType, text: string, field: string): Scalar {
  if (type === ScalarType.BOOL && (text === "true" || text === "false")) return text === "true";
  return readScalar(type, text, field);
}

/**
 * Reads the JSON of an enum: the exact name of a value (contract: studio 7). Throws
 * ENUM_UNKNOWN, which lists the names, and VALUE_INVALID for anything but a string.
 */
export function readEnum(desc: DescEnum, json: JsonValue, field: string): number {
  if (typeof json !== "string") throw wrongType(field, "the name of an enum value", json);
  const value = desc.values.find(({ name }) => name === json);
  if (value === undefined) {
    const names = desc.values.map(({ name }) => name);
    const allowed = names.join(", ");
    const description = `${quote(json)} is not one of ${allowed}${suggestValue(json, names)}`;
    throw invalidField(field, "ENUM_UNKNOWN", description, { value: clip(json), allowed });
  }
  return value.number;
}

/** Suggests the value of an enum that a text is the end of, or near to, in any case. */
function suggestValue(text: string, names: readonly string[]): string {
  const upper = text.toUpperCase().replaceAll("-", "_");
  const full = names.find((name) => name.endsWith(`_${upper}`));
  const [near] = full === undefined ? listNearNames(upper, names) : [full];
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/** Reads a JSON string of well-formed Unicode. Throws VALUE_INVALID. */
export function readText(json: JsonValue, field: string): string {
  if (typeof json !== "string") throw wrongType(field, "a string", json);
  if (!json.isWellFormed()) {
    throw invalidField(field, "VALUE_INVALID", "the text contains an unpaired surrogate");
  }
  return json;
}

/** Creates the VALUE_INVALID that names the expected JSON type and the one received. */
export function wrongType(field: string, expected: string, json: JsonValue): DomainError {
  const description = `expected ${expected}, got ${typeName(json)}`;
  // A message that is not below a field.
  if (field === "") return new DomainError(Code.INVALID_ARGUMENT, "VALUE_INVALID", description);
  return invalidField(field, "VALUE_INVALID", description);
}

function typeName(json: JsonValue): string {
  if (json === null) return "null";
  if (Array.isArray(json)) return "an array";
  if (json instanceof LongInteger) return "a number";
  return typeof json === "object" ? "an object" : `a ${typeof json}`;
}

function readBytes(json: JsonValue, field: string): Uint8Array {
  const text = readText(json, field);
  try {
    return base64Decode(text);
  } catch {
    throw invalidField(field, "VALUE_INVALID", "expected base64");
  }
}

function readNumber(json: JsonValue, field: string): number | LongInteger {
  if (typeof json === "number" || json instanceof LongInteger) return json;
  const number = typeof json === "string" ? readJsonNumber(json) : undefined;
  if (number === undefined) {
    throw typeof json === "string"
      ? invalidField(field, "VALUE_INVALID", `${quote(json)} is not a number`)
      : wrongType(field, "a number", json);
  }
  return number;
}

function readFloat(json: JsonValue, field: string, round: (value: number) => number): number {
  if (json === "NaN" || json === "Infinity" || json === "-Infinity") return Number(json);
  const number = readNumber(json, field);
  const value = number instanceof LongInteger ? Number(number.text) : number;
  if (!Number.isFinite(round(value))) {
    const description = "must be a finite number that the field's type can hold";
    throw invalidField(field, "VALUE_INVALID", description);
  }
  return value;
}

const LONGEST_INTEGER = "-9223372036854775808".length;

function readInteger(json: JsonValue, field: string, min: bigint, max: bigint): bigint {
  const number = readNumber(json, field);
  if (typeof number === "number" && !Number.isInteger(number)) {
    throw invalidField(field, "VALUE_INVALID", "must be an integer");
  }
  const value = toBigInt(number);
  if (value === undefined || value < min || value > max) {
    throw invalidField(field, "VALUE_INVALID", `must be between ${min} and ${max}`);
  }
  if (typeof number === "number" && !Number.isSafeInteger(number)) {
    const description = "an integer of this size must have no fraction and no exponent";
    throw invalidField(field, "VALUE_INVALID", description);
  }
  return value;
}

/** Converts to a bigint; undefined for an integer with too many digits for any field. */
function toBigInt(number: number | LongInteger): bigint | undefined {
  if (typeof number === "number") return BigInt(number);
  return number.text.length > LONGEST_INTEGER ? undefined : BigInt(number.text);
}
