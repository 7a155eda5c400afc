import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  DurationSchema,
  type ListValue,
  TimestampSchema,
  type Value,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { clip } from "./clip.ts";
import { blameField, type DomainError, invalidField } from "./errors.ts";
import { type FieldLimits, isJsonType, isKqlField, limitsOf } from "./input-limits.ts";
import { checkKqlSize } from "./kql/index.ts";

/**
 * Checks every value of a message that a caller sent, before work is done with it: that it is within the
 * limits of its field (`input-limits.ts`), and that the JSON form has a word for it: no unknown number of
 * an enum, no moment or duration out of its range, no NaN in free JSON. Kept once, such a value would make
 * every later answer in JSON fail. `path` is where the message lies; default: it is the request.
 *
 * INVALID_ARGUMENT `FIELD_TOO_LONG`, `TOO_MANY_ITEMS`, `JSON_TOO_LARGE` or `JSON_TOO_DEEP`, each with the
 * field, its `size` and the `limit`; `KQL_LIMIT`; `ENUM_UNKNOWN` or `VALUE_INVALID`.
 */
export function checkInput(schema: DescMessage, message: Message, path = ""): void {
  const fault = findInMessage(schema)(message as never);
  if (fault !== undefined) throw fault.toError(join(path, fault.path));
}

/** What is wrong with a value; `path` leads from it to the field at fault. */
interface Fault {
  readonly path: string;
  toError(path: string): DomainError;
}

/** Finds the first fault in a value; undefined is a good one. */
type Find = (value: never) => Fault | undefined;

interface FieldCheck {
  readonly name: string;
  readonly localName: string;
  /** The oneof that the field is a member of. */
  readonly oneof: string | undefined;
  readonly find: Find;
}

/** What is to be looked at is found out once a message type: hot reads go through here. */
const FINDS = new WeakMap<DescMessage, Find>();

function findInMessage(schema: DescMessage): Find {
  const known = FINDS.get(schema);
  if (known !== undefined) return known;
  const checks: FieldCheck[] = [];
  const find: Find = (message: Readonly<Record<string, unknown>>) => findInFields(checks, message);
  // A type may hold itself.
  FINDS.set(schema, find);
  for (const field of schema.fields) {
    const own = findInField(field);
    const { name, localName, oneof } = field;
    if (own !== undefined) checks.push({ name, localName, oneof: oneof?.localName, find: own });
  }
  return find;
}

function findInFields(
  checks: readonly FieldCheck[],
  message: Readonly<Record<string, unknown>>,
): Fault | undefined {
  for (const { name, localName, oneof, find } of checks) {
    const value = oneof === undefined ? message[localName] : readMember(message[oneof], localName);
    const fault = value === undefined ? undefined : find(value as never);
    if (fault !== undefined) return { ...fault, path: join(name, fault.path) };
  }
  return undefined;
}

type Oneof = { readonly case: string | undefined; readonly value?: unknown };

function readMember(oneof: unknown, localName: string): unknown {
  const { case: member, value } = oneof as Oneof;
  return member === localName ? value : undefined;
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

/** Finds what is wrong with the field itself, or with one item of it. */
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
        isTimestamp(value) ? undefined : invalid("it is no moment of the years 1 to 9999");
    case DurationSchema.typeName:
      return (value: TimeParts) =>
        isDuration(value) ? undefined : invalid("its seconds and nanos are no duration");
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
    if (fault !== undefined) return { ...fault, path: join(`[${index}]`, fault.path) };
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
      return { ...fault, path: join(`[${JSON.stringify(clip(key))}]`, fault.path) };
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

/** Counts the characters of a text that has more than the limit; 0: it has not. */
function countOver(text: string, limit: number): number {
  // A character is one or two UTF-16 units.
  if (text.length <= limit) return 0;
  let size = 0;
  for (const _ of text) size += 1;
  return size > limit ? size : 0;
}

function findInBytes({ bytes = 0 }: FieldLimits): Find {
  return ({ length }: Uint8Array) => (length > bytes ? tooLong(length, bytes, "bytes") : undefined);
}

function findInKql(text: string): Fault | undefined {
  try {
    checkKqlSize(text);
    return undefined;
  } catch (cause) {
    const toError = (path: string) => {
      try {
        return blameField(path, () => {
          throw cause;
        });
      } catch (error) {
        return error as DomainError;
      }
    };
    return { path: "", toError };
  }
}

function findInEnum({ values }: DescEnum): Find {
  const numbers = new Set(values.map(({ number }) => number));
  return (value: number) => {
    if (numbers.has(value)) return undefined;
    const names = values.map(({ name }) => name).join(", ");
    return fault("ENUM_UNKNOWN", `${value} is not one of ${names}`);
  };
}

/** Finds what is wrong with any JSON: the field itself, one item of it, or the whole of a map. */
function findInJson({ typeName }: DescMessage, limits: FieldLimits): Find {
  switch (typeName) {
    case "google.protobuf.Struct":
      return (value: JsonObject) => new JsonSize(limits).ofJson(value, ROOT);
    case "google.protobuf.ListValue":
      return ({ values }: ListValue) => new JsonSize(limits).ofValues(values, ROOT);
    default:
      return (value: Value) => new JsonSize(limits).ofValue(value, ROOT);
  }
}

/** The limits of JSON count for all values of a map together. */
function findInJsonMap(map: Readonly<Record<string, Value>>, limits: FieldLimits) {
  const size = new JsonSize(limits);
  for (const value of Object.values(map)) {
    const found = size.ofValue(value, ROOT);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where a value lies in a JSON value: inside so many others, behind keys of so many characters. */
interface JsonPlace {
  readonly level: number;
  readonly path: number;
}

const ROOT: JsonPlace = { level: 0, path: 0 };

type FindInside<T> = (value: T, place: JsonPlace) => Fault | undefined;

type JsonLimits = Required<
  Pick<FieldLimits, "values" | "jsonCharacters" | "levels" | "key" | "path">
>;

/**
 * Measures a JSON value until it is past its limits: a `Struct` is held as plain JSON, a `Value` and all
 * inside it as messages.
 */
class JsonSize {
  readonly #limits: JsonLimits;
  #values = 0;
  #characters = 0;

  constructor({ values = 0, jsonCharacters = 0, levels = 0, key = 0, path = 0 }: FieldLimits) {
    this.#limits = { values, jsonCharacters, levels, key, path };
  }

  readonly ofJson: FindInside<JsonValue> = (value, place) => {
    if (Array.isArray(value)) return this.#ofList(value, place, this.ofJson);
    if (typeof value === "object" && value !== null) {
      return this.#ofObject(value, place, this.ofJson);
    }
    return this.#ofScalar(value);
  };

  readonly ofValue: FindInside<Value> = ({ kind }, place) => {
    switch (kind.case) {
      case undefined:
        return invalid(NOT_IN_JSON);
      case "structValue":
        return this.#ofObject(kind.value.fields, place, this.ofValue);
      case "listValue":
        return this.ofValues(kind.value.values, place);
      default:
        return this.#ofScalar(kind.value);
    }
  };

  readonly ofValues: FindInside<readonly Value[]> = (values, place) =>
    this.#ofList(values, place, this.ofValue);

  #ofScalar(value: unknown): Fault | undefined {
    if (typeof value === "number" && !Number.isFinite(value)) return invalid(NOT_IN_JSON);
    return this.#countValue() ?? (typeof value === "string" ? this.#countText(value) : undefined);
  }

  #ofList<T>(items: readonly T[], place: JsonPlace, find: FindInside<T>): Fault | undefined {
    const fault = this.#countValue() ?? this.#checkLevel(place);
    if (fault !== undefined) return fault;
    const below = { ...place, level: place.level + 1 };
    for (const item of items) {
      const found = find(item, below);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #ofObject<T>(
    object: Readonly<Record<string, T>>,
    place: JsonPlace,
    find: FindInside<T>,
  ): Fault | undefined {
    const fault = this.#countValue() ?? this.#checkLevel(place);
    if (fault !== undefined) return fault;
    const { key, path } = this.#limits;
    for (const [name, member] of Object.entries(object)) {
      const size = countOver(name, key);
      if (size > 0) return tooLong(size, key, "characters in a key");
      const below = { level: place.level + 1, path: place.path + name.length };
      if (below.path > path) {
        const description = `the keys to one of its values have more than ${path} characters`;
        return tooDeep(description, below.path, path);
      }
      const found = this.#countText(name) ?? find(member, below);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #checkLevel({ level }: JsonPlace): Fault | undefined {
    const { levels } = this.#limits;
    if (level < levels) return undefined;
    const description = `it has more than ${levels} objects and arrays inside each other`;
    return tooDeep(description, level + 1, levels);
  }

  #countValue(): Fault | undefined {
    const { values } = this.#limits;
    this.#values += 1;
    return this.#values > values ? tooLarge("values", this.#values, values) : undefined;
  }

  #countText({ length }: string): Fault | undefined {
    const { jsonCharacters } = this.#limits;
    this.#characters += length;
    return this.#characters > jsonCharacters
      ? tooLarge("characters", this.#characters, jsonCharacters)
      : undefined;
  }
}

const NOT_IN_JSON = "it holds nothing, or a number that JSON does not have";

type TimeParts = { readonly seconds: bigint; readonly nanos: number };

const NANOS = 999_999_999;
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
const LONGEST_SECONDS = 315_576_000_000n;

function isTimestamp({ seconds, nanos }: TimeParts): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos <= NANOS;
}

function isDuration({ seconds, nanos }: TimeParts): boolean {
  const isInRange = seconds >= -LONGEST_SECONDS && seconds <= LONGEST_SECONDS;
  const isOneSign = seconds === 0n || nanos === 0 || seconds > 0n === nanos > 0;
  return isInRange && isOneSign && Math.abs(nanos) <= NANOS;
}

function invalid(description: string): Fault {
  return fault("VALUE_INVALID", description);
}

function tooLong(size: number, limit: number, what: string): Fault {
  return fault("FIELD_TOO_LONG", describe(size, limit, what), size, limit);
}

function tooMany(size: number, limit: number, what: string): Fault {
  return fault("TOO_MANY_ITEMS", describe(size, limit, what), size, limit);
}

/** The whole size is not known: measuring ends at the limit. */
function tooLarge(what: string, size: number, limit: number): Fault {
  return fault("JSON_TOO_LARGE", `it has more than ${limit} ${what}`, size, limit);
}

function tooDeep(description: string, size: number, limit: number): Fault {
  return fault("JSON_TOO_DEEP", description, size, limit);
}

function describe(size: number, limit: number, what: string): string {
  return `it has ${size} ${what}, at most ${limit} are allowed`;
}

function fault(reason: string, description: string, size?: number, limit?: number): Fault {
  const metadata = limit === undefined ? {} : { size: String(size), limit: String(limit) };
  return { path: "", toError: (path) => invalidField(path, reason, description, metadata) };
}

function join(path: string, rest: string): string {
  if (path === "" || rest === "" || rest.startsWith("[")) return path + rest;
  return `${path}.${rest}`;
}
