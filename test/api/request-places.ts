import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import {
  type FieldLimits,
  isJsonType,
  isKqlField,
  limitsOf,
} from "../../src/domain/validation/input-limits.ts";
import type { JsonMessage } from "./methods.ts";

/** One way in which a field of a request can be large. */
export interface RequestPlace {
  /** The field as errors name it, such as `event.entity_ids[0]`. */
  readonly path: string;
  readonly limit: keyof FieldLimits;
  readonly maximum: number;
  /** The reasons of the rejection past the limit. */
  readonly reason: string;
  /** Ways to fill it, by name; each makes the value of a size. */
  readonly fills: Readonly<Record<string, (size: number) => unknown>>;
  /** Puts a value into a message, and takes out what stands against it. */
  put(message: JsonMessage, value: unknown): JsonMessage;
}

type Put = RequestPlace["put"];

/** Lists all places of a request, those of the messages inside it included. */
export function listPlaces(schema: DescMessage): RequestPlace[] {
  return listInMessage(schema, "", (_, value) => value as JsonMessage, [schema]);
}

/** `put` replaces the whole message that the fields are of. */
function listInMessage(
  schema: DescMessage,
  prefix: string,
  put: Put,
  parents: readonly DescMessage[],
  read: (message: JsonMessage) => JsonMessage = (message) => message,
): RequestPlace[] {
  return schema.fields.flatMap((field) => {
    const path = `${prefix}${field.name}`;
    const putField: Put = (message, value) =>
      put(message, { ...without(read(message), field), [field.jsonName]: value });
    const own = listInField(field, path, putField);
    const { message } = field;
    if (message === undefined || isKnownType(message) || parents.includes(message)) return own;
    const isList = field.fieldKind === "list";
    const inside = listInMessage(
      message,
      isList ? `${path}[0].` : `${path}.`,
      (root, value) => putField(root, isList ? [value] : value),
      [...parents, message],
      (root) => {
        const value = read(root)[field.jsonName];
        return ((isList ? (value as unknown[])?.[0] : value) ?? {}) as JsonMessage;
      },
    );
    return [...own, ...inside];
  });
}

/** Leaves out the other members of a field's oneof: only one may be set. */
function without(message: JsonMessage, { oneof }: DescField): JsonMessage {
  const others = new Set(oneof?.fields.map(({ jsonName }) => jsonName));
  return Object.fromEntries(Object.entries(message).filter(([name]) => !others.has(name)));
}

function isKnownType({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.");
}

function listInField(field: DescField, path: string, put: Put): RequestPlace[] {
  if (field.message?.typeName === "google.protobuf.FieldMask") return listInMask(field, path, put);
  const limits = limitsOf(field);
  const places: RequestPlace[] = [];
  const add = (
    limit: keyof FieldLimits,
    reason: string,
    at: string,
    fills: RequestPlace["fills"],
  ) => {
    const maximum = limits[limit];
    if (maximum !== undefined) places.push({ path: at, limit, maximum, reason, fills, put });
  };
  const wrap = (value: unknown) =>
    field.fieldKind === "list" ? [value] : field.fieldKind === "map" ? { k: value } : value;
  const inside =
    field.fieldKind === "list" ? `${path}[0]` : field.fieldKind === "map" ? `${path}["k"]` : path;
  if (field.scalar === ScalarType.STRING) {
    // A short text is quick whatever its letters: its field takes its turn at them.
    const isShort = limits.characters !== undefined && limits.characters <= SHORT;
    const texts = isKqlField(field) ? KQL_TEXTS : isShort ? turn(path, TEXTS) : TEXTS;
    const fills = mapValues(texts, (fill) => (size: number) => wrap(fill(size)));
    add("characters", isKqlField(field) ? "KQL_LIMIT" : "FIELD_TOO_LONG", inside, fills);
  }
  if (field.scalar === ScalarType.BYTES) {
    const zeros = (size: number) => wrap(Buffer.alloc(size).toString("base64"));
    add("bytes", "FIELD_TOO_LONG", inside, { zeros });
  }
  const item = (index: number) => (field.scalar === ScalarType.STRING ? `item-${index}` : {});
  if (field.fieldKind === "list" && field.enum === undefined) {
    add("items", "TOO_MANY_ITEMS", path, { distinct: (size) => range(size, item) });
  }
  if (field.fieldKind === "map") {
    const value = isJsonType(field.message) ? "x" : "a: b";
    add("entries", "TOO_MANY_ITEMS", path, {
      distinct: (size) => Object.fromEntries(range(size, (index) => [`k${index}`, value])),
    });
    add("key", "FIELD_TOO_LONG", path, { letters: (size) => ({ ["k".repeat(size)]: value }) });
  }
  if (isJsonType(field.message)) {
    const isMap = field.fieldKind === "map";
    // Of a map its values count, not the map; of a field the outermost object as well.
    const at = field.fieldKind === "list" ? `${path}[0]` : path;
    const whole = (json: unknown) => (field.fieldKind === "list" ? [json] : json);
    // What works on any JSON is the same for all: a field takes its turn at the ways to fill one.
    add("values", "JSON_TOO_LARGE", at, {
      ...(!isMap &&
        turn(path, {
          keys: (size) => whole(Object.fromEntries(range(size - 1, (it) => [`k${it}`, {}]))),
          list: (size) => whole({ k: range(size - 2, (index) => `v${index}`) }),
        })),
      ...(isMap && { list: (size) => ({ k: range(size - 1, (index) => `v${index}`) }) }),
    });
    const own = isMap ? 0 : 1;
    add("jsonCharacters", "JSON_TOO_LARGE", at, {
      ...turn(
        path,
        mapValues(TEXTS, (fill) => (size: number) => whole({ k: fill(size - own) })),
      ),
    });
    if (!isMap) {
      add("key", "FIELD_TOO_LONG", at, { dots: (size) => whole({ [".".repeat(size)]: 1 }) });
      add("path", "JSON_TOO_DEEP", at, { keys: (size) => whole(nest(size)) });
    }
  }
  return places;
}

/** The JSON of a mask is one text. */
function listInMask(field: DescField, path: string, put: Put): RequestPlace[] {
  const [paths] = field.message?.fields ?? [];
  const { items = 0, characters = 0 } = paths === undefined ? {} : limitsOf(paths);
  return [
    {
      ...{ path: `${path}.paths`, limit: "items", maximum: items, reason: "TOO_MANY_ITEMS", put },
      fills: { distinct: (size) => range(size, (index) => `f${index}`).join(",") },
    },
    {
      ...{ path: `${path}.paths[0]`, limit: "characters", maximum: characters },
      ...{ reason: "FIELD_TOO_LONG", put },
      fills: { letters: (size) => "f".repeat(size) },
    },
  ];
}

/** The most characters of a short text, such as an id. */
const SHORT = 512;

/** Texts that have been slow once, or could be: each has the given length. */
const TEXTS = {
  letters: (size: number) => "a".repeat(size),
  "a time of zeros": (size: number) => fillBetween("2026-06-11T18:00:00.", "0", "1Z", size),
  "zeros and slashes": (size: number) => fillBetween("https://a.example/", "/0", "x", size),
  "dots and blanks": (size: number) => fillBetween("a", ". ", "a", size),
  "accents out of order": (size: number) =>
    `a${"\u0315".repeat(size)}`.slice(0, size / 2) + "\u0316".repeat(Math.ceil(size / 2)),
  variables: (size: number) => fillBetween("", "{q}", "", size),
} as const;

const KQL_TEXTS = {
  "a long wildcard": (size: number) => fillBetween("fields.a: *", "a", "b*", size),
  "wildcards in names": (size: number) => fillBetween("*", "a*", ": b", size),
  "a time of zeros": (size: number) =>
    fillBetween('start_time > "2026-06-11T18:00:00.', "0", '1Z"', size),
  "many values": (size: number) => fillBetween("id: (a", " or a", ")", Math.min(size, 1_200)),
  "nothing closed": (size: number) => fillBetween("a: ", "{", "", size),
  blanks: (size: number) => fillBetween("a:", " ", "b", size),
} as const;

/** Repeats a text between two others up to a size; a rest of it is cut off. */
function fillBetween(start: string, repeated: string, end: string, size: number): string {
  const room = Math.max(size - start.length - end.length, 0);
  return `${start}${repeated.repeat(Math.ceil(room / repeated.length)).slice(0, room)}${end}`;
}

/** Puts many values as deep as keys of so many characters in all go. */
function nest(size: number): unknown {
  const keys = range(Math.ceil(size / 100), (index) =>
    "k".repeat(Math.min(100, size - index * 100)),
  );
  return keys.reduceRight<unknown>(
    (inside, key) => ({ [key]: inside }),
    range(500, () => "v"),
  );
}

/** Chooses one of several ways by a name. */
function turn<T>(name: string, ways: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.entries(ways);
  const sum = Array.from(name, (it) => it.charCodeAt(0)).reduce((total, it) => total + it, 0);
  return Object.fromEntries([entries[sum % entries.length] ?? []]);
}

function range<T>(size: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.max(size, 0) }, (_, index) => make(index));
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
