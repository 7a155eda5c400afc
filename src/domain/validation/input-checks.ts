import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { DurationSchema, TimestampSchema, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { readField } from "../descriptors.ts";
import { type DomainError, withField } from "../errors.ts";
import { checkKqlSize } from "../kql/index.ts";
import { clip } from "../text.ts";
import { LAST_SECOND, type TimeParts } from "../time.ts";
import {
  countOver,
  createFault,
  type Fault,
  type FieldLimits,
  type Find,
  invalidValue,
  isJsonType,
  isKqlField,
  joinPath,
  limitsOf,
  tooLong,
  tooMany,
} from "./input-limits.ts";
import { findInJson, findInJsonMap } from "./json-checks.ts";

/**
 * Checks every value of a message from a caller: it is within the limits of its field
 * (`input-limits.ts`), and ProtoJSON can express it: no unknown enum number, no timestamp or duration out
 * of range, no NaN in free JSON. Once stored, such a value would make every later JSON answer fail. `path`
 * is the path of the message in the request; default: it is the request itself.
 *
 * INVALID_ARGUMENT `FIELD_TOO_LONG`, `TOO_MANY_ITEMS`, `JSON_TOO_LARGE` or `JSON_TOO_DEEP`, each with the
 * field, its `size` and the `limit`; `KQL_LIMIT`; `ENUM_UNKNOWN` or `VALUE_INVALID`.
 */
export function checkInput(schema: DescMessage, message: Message, path = ""): void {
  const fault = findInMessage(schema)(message as never);
  if (fault !== undefined) throw fault.toError(joinPath(path, fault.path));
}

interface FieldCheck {
  readonly field: DescField;
  readonly find: Find;
}

/** The checks of each message type, compiled once: every request passes here. */
const FINDS = new WeakMap<DescMessage, Find>();

function findInMessage(schema: DescMessage): Find {
  const known = FINDS.get(schema);
  if (known !== undefined) return known;
  const checks: FieldCheck[] = [];
  const find: Find = (message: Message) => findInFields(checks, message);
  // Set before the fields are compiled, as a type may contain itself.
  FINDS.set(schema, find);
  for (const field of schema.fields) {
    const own = findInField(field);
    if (own !== undefined) checks.push({ field, find: own });
  }
  return find;
}

function findInFields(checks: readonly FieldCheck[], message: Message): Fault | undefined {
  for (const { field, find } of checks) {
    const value = readField(message, field);
    const fault = value === undefined ? undefined : find(value as never);
    if (fault !== undefined) return { ...fault, path: joinPath(field.name, fault.path) };
  }
  return undefined;
}

function findInField(field: DescField): Find | undefined {
  const limits = limitsOf(field);
  const item = findInItem(field, limits);
  switch (field.fieldKind) {
    case "list":
      return (items: readonly unknown[]) => findInList(items, limits, item);
    case "map":
      return field.message?.typeName === ValueSchema.typeName
        ? (map: Record<string, Value>) => findInEntries(map, limits) ?? findInJsonMap(map, limits)
        : (map: object) => findInEntries(map, limits) ?? findInValues(map, item);
    default:
      return item;
  }
}

/** Creates the check of a field's value, or of one item of it. */
function findInItem(field: DescField, limits: FieldLimits): Find | undefined {
  if (field.enum !== undefined) return findInEnum(field.enum);
  if (field.message !== undefined) return findInMember(field.message, limits);
  if (field.scalar === ScalarType.BYTES) return findInBytes(limits);
  if (field.scalar !== ScalarType.STRING) return undefined;
  return isKqlField(field) ? findInKql : findInText(limits);
}

function findInMember(message: DescMessage, limits: FieldLimits): Find {
  switch (message.typeName) {
    case TimestampSchema.typeName:
      return (value: TimeParts) =>
        isTimestamp(value) ? undefined : invalidValue("must be a timestamp of the years 1 to 9999");
    case DurationSchema.typeName:
      return (value: TimeParts) => (isDuration(value) ? undefined : invalidValue(INVALID_DURATION));
    default:
      return isJsonType(message) ? findInJson(message, limits) : findInMessage(message);
  }
}

function findInList(
  items: readonly unknown[],
  { items: limit = 0 }: FieldLimits,
  find: Find | undefined,
): Fault | undefined {
  if (items.length > limit) return tooMany(items.length, limit, "items");
  if (find === undefined) return undefined;
  for (let index = 0; index < items.length; index += 1) {
    const fault = find(items[index] as never);
    if (fault !== undefined) return { ...fault, path: joinPath(`[${index}]`, fault.path) };
  }
  return undefined;
}

function findInEntries(map: object, { entries = 0, key = 0 }: FieldLimits): Fault | undefined {
  const keys = Object.keys(map);
  if (keys.length > entries) return tooMany(keys.length, entries, "entries");
  for (const it of keys) {
    const size = countOver(it, key);
    if (size > 0) return tooLong(size, key, "characters in a key");
  }
  return undefined;
}

function findInValues(map: object, find: Find | undefined): Fault | undefined {
  if (find === undefined) return undefined;
  for (const [key, value] of Object.entries(map)) {
    const fault = find(value as never);
    if (fault !== undefined) {
      return { ...fault, path: joinPath(`[${JSON.stringify(clip(key))}]`, fault.path) };
    }
  }
  return undefined;
}

function findInText({ characters = 0 }: FieldLimits): Find {
  return (text: string) => {
    const size = countOver(text, characters);
    return size > 0 ? tooLong(size, characters, "characters") : undefined;
  };
}

function findInBytes({ bytes = 0 }: FieldLimits): Find {
  return ({ length }: Uint8Array) => (length > bytes ? tooLong(length, bytes, "bytes") : undefined);
}

function findInKql(text: string): Fault | undefined {
  try {
    checkKqlSize(text);
    return undefined;
  } catch (cause) {
    return { path: "", toError: (path) => withField(path, cause as DomainError) };
  }
}

function findInEnum({ values }: DescEnum): Find {
  const numbers = new Set(values.map(({ number }) => number));
  return (value: number) => {
    if (numbers.has(value)) return undefined;
    const names = values.map(({ name }) => name).join(", ");
    return createFault("ENUM_UNKNOWN", `${value} is not one of ${names}`);
  };
}

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
