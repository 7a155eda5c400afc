import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { DurationSchema, TimestampSchema, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { perDescriptor, readField } from "../base/descriptors.ts";
import {
  aboveLimit,
  blameField,
  checkField,
  checkLength,
  invalidField,
} from "../base/field-errors.ts";
import { quote } from "../base/text.ts";
import { LAST_SECOND, type TimeParts } from "../base/time.ts";
import { isReadAlone, keepError } from "../base/unreadable-items.ts";
import { checkKqlSize } from "../kql/index.ts";
import { type FieldLimits, isJsonType, isKqlField, limitsOf } from "./input-limits.ts";
import { checkJson, checkJsonMap } from "./json-checks.ts";

/**
 * Checks every value of a message from a caller: it is within the limits of its field (`input-limits.ts`), and
 * ProtoJSON can express it. ProtoJSON has no unknown enum numbers, no timestamps or durations out of range, and no
 * NaN in free JSON. Once stored, such a value would make every later JSON response fail. `path` is the path of the
 * message in the request; default: it is the request itself. An error in an item that is read alone is kept for its
 * handler (`unreadable-items.ts`).
 *
 * INVALID_ARGUMENT:
 * - `FIELD_TOO_LONG`, `TOO_MANY_ITEMS`, `JSON_TOO_LARGE` or `JSON_TOO_DEEP`, each with the field, its `size` and the
 *   `limit`.
 * - `KQL_LIMIT`, `ENUM_UNKNOWN` or `VALUE_INVALID`.
 */
export function checkInput(schema: DescMessage, message: Message, path = ""): void {
  for (const { field, check } of listChecks(schema)) {
    const value = readField(message, field);
    if (value !== undefined)
      check(value as never, path === "" ? field.name : `${path}.${field.name}`);
  }
}

/** Checks a value at a path. */
type Check = (value: never, path: string) => void;

/** Lists the checks of the fields of a message. */
const listChecks = perDescriptor((schema: DescMessage) =>
  schema.fields.flatMap((field) => {
    const check = createCheck(field);
    return check === undefined ? [] : [{ field, check }];
  }),
);

function createCheck(field: DescField): Check | undefined {
  const limits = limitsOf(field);
  const checkItem = createItemCheck(field, limits);
  switch (field.fieldKind) {
    case "list": {
      const check = checkItem && isReadAlone(field) ? checkAlone(checkItem) : checkItem;
      return (items: readonly unknown[], path: string) => checkList(items, path, limits, check);
    }
    case "map":
      return field.message?.typeName === ValueSchema.typeName
        ? (map: Record<string, Value>, path: string) => {
            checkEntries(map, path, limits);
            checkJsonMap(map, path, limits);
          }
        : (map: object, path: string) => {
            checkEntries(map, path, limits);
            checkValues(map, path, checkItem);
          };
    default:
      return checkItem;
  }
}

/** Creates the check of a field's value, or of one item of it. */
function createItemCheck(field: DescField, limits: FieldLimits): Check | undefined {
  if (field.enum !== undefined) return createEnumCheck(field.enum);
  if (field.message !== undefined) return createMemberCheck(field.message, limits);
  if (field.scalar === ScalarType.BYTES) {
    return (value: Uint8Array, path: string) => checkBytes(value, path, limits);
  }
  if (field.scalar !== ScalarType.STRING) return undefined;
  if (isKqlField(field)) {
    return (text: string, path: string) => blameField(path, () => checkKqlSize(text));
  }
  const { characters = 0 } = limits;
  return (text: string, path: string) => checkLength(text, characters, path);
}

function createMemberCheck(message: DescMessage, limits: FieldLimits): Check {
  switch (message.typeName) {
    case TimestampSchema.typeName:
      return (value: TimeParts, path: string) =>
        checkField(isTimestamp(value), path, "VALUE_INVALID", INVALID_TIMESTAMP);
    case DurationSchema.typeName:
      return (value: TimeParts, path: string) =>
        checkField(isDuration(value), path, "VALUE_INVALID", INVALID_DURATION);
    default:
      return isJsonType(message)
        ? (value: never, path: string) => checkJson(message, value, path, limits)
        : (value: Message, path: string) => checkInput(message, value, path);
  }
}

function checkList(
  items: readonly unknown[],
  path: string,
  { items: limit = 0 }: FieldLimits,
  check: Check | undefined,
): void {
  if (items.length > limit) throw tooMany(items.length, limit, path, "items");
  if (check === undefined) return;
  for (const [index, item] of items.entries()) check(item as never, `${path}[${index}]`);
}

/** Checks an item of a list by paths below it, and keeps its error. */
function checkAlone(check: Check): Check {
  return (item: Message) => {
    try {
      check(item as never, "");
    } catch (error) {
      keepError(item, error);
    }
  };
}

function checkEntries(map: object, path: string, { entries = 0, key = 0 }: FieldLimits): void {
  const keys = Object.keys(map);
  if (keys.length > entries) throw tooMany(keys.length, entries, path, "entries");
  for (const name of keys) checkLength(name, key, path, "characters in a key");
}

function tooMany(size: number, limit: number, path: string, unit: string) {
  const description = `must have at most ${limit} ${unit}, not ${size}`;
  return aboveLimit(path, "TOO_MANY_ITEMS", description, size, limit);
}

function checkValues(map: object, path: string, check: Check | undefined): void {
  if (check === undefined) return;
  for (const [key, value] of Object.entries(map)) check(value as never, `${path}[${quote(key)}]`);
}

function checkBytes({ length }: Uint8Array, path: string, { bytes = 0 }: FieldLimits): void {
  if (length <= bytes) return;
  const description = `must have at most ${bytes} bytes, not ${length}`;
  throw aboveLimit(path, "FIELD_TOO_LONG", description, length, bytes);
}

function createEnumCheck({ values }: DescEnum): Check {
  const numbers = new Set(values.map(({ number }) => number));
  return (value: number, path: string) => {
    if (numbers.has(value)) return;
    const names = values.map(({ name }) => name).join(", ");
    throw invalidField(path, "ENUM_UNKNOWN", `${value} is not one of ${names}`);
  };
}

const INVALID_TIMESTAMP = "must be a timestamp of the years 1 to 9999";
const INVALID_DURATION =
  "must be a duration of at most 315576000000 seconds, with seconds and nanos of the same sign";

const NANOS = 999_999_999;
const FIRST_SECOND = -62_135_596_800n;
const LONGEST_SECONDS = 315_576_000_000n;

function isTimestamp({ seconds, nanos }: TimeParts): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos <= NANOS;
}

function isDuration({ seconds, nanos }: TimeParts): boolean {
  const isInRange = seconds >= -LONGEST_SECONDS && seconds <= LONGEST_SECONDS;
  const isOneSign = seconds === 0n || nanos === 0 || seconds > 0n === nanos > 0;
  return isInRange && isOneSign && Math.abs(nanos) <= NANOS;
}
