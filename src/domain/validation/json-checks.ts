import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ListValue, Value } from "@bufbuild/protobuf/wkt";
import {
  countOver,
  createFault,
  type Fault,
  type FieldLimits,
  type Find,
  invalidValue,
  tooLong,
} from "./input-limits.ts";

/** Creates the check of a field, or of one item of it, that is free JSON. */
export function findInJson({ typeName }: DescMessage, limits: FieldLimits): Find {
  switch (typeName) {
    case "google.protobuf.Struct":
      return (value: JsonObject) => new JsonSize(limits).ofJson(value, ROOT);
    case "google.protobuf.ListValue":
      return ({ values }: ListValue) => new JsonSize(limits).ofValues(values, ROOT);
    default:
      return (value: Value) => new JsonSize(limits).ofValue(value, ROOT);
  }
}

/** Finds the first fault in a map of JSON values; the limits apply to all values together. */
export function findInJsonMap(map: Readonly<Record<string, Value>>, limits: FieldLimits) {
  const size = new JsonSize(limits);
  for (const value of Object.values(map)) {
    const found = size.ofValue(value, ROOT);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The position of a value inside a JSON value: its depth, and the characters of the keys leading to it. */
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
 * Measures a JSON value until it exceeds a limit: a `Struct` is plain JSON in memory, a `Value` and
 * everything inside it are messages.
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
        return invalidValue(NOT_IN_JSON);
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
    if (typeof value === "number" && !Number.isFinite(value)) return invalidValue(NOT_IN_JSON);
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
        const description = `must not have keys of more than ${path} characters in total on the path to a value`;
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
    const description = `must not nest objects and arrays more than ${levels} levels deep`;
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

const NOT_IN_JSON = "must be a JSON value; a Value without kind, NaN and infinity are not";

/** Creates the fault of JSON above a limit; its full size is unknown, as measuring ends at the limit. */
function tooLarge(what: string, size: number, limit: number): Fault {
  return createFault("JSON_TOO_LARGE", `must have at most ${limit} ${what}`, size, limit);
}

function tooDeep(description: string, size: number, limit: number): Fault {
  return createFault("JSON_TOO_DEEP", description, size, limit);
}
