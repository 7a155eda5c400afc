import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { aboveLimit, checkField, checkLength } from "../base/field-errors.ts";
import type { FieldLimits } from "./input-limits.ts";

/** Checks the value of a field, or one item of it, that is free JSON. */
export function checkJson(
  { typeName }: DescMessage,
  value: JsonObject | Value,
  path: string,
  limits: FieldLimits,
): void {
  const size = new JsonSize(path, limits);
  if (typeName === ValueSchema.typeName) size.ofValue(value as Value, ROOT);
  else size.ofJson(value as JsonObject, ROOT);
}

/** Checks a map of JSON values; the limits apply to all values together. */
export function checkJsonMap(
  map: Readonly<Record<string, Value>>,
  path: string,
  limits: FieldLimits,
): void {
  const size = new JsonSize(path, limits);
  for (const value of Object.values(map)) size.ofValue(value, ROOT);
}

/** The position of a value inside a JSON value: its depth, and the characters of the keys leading to it. */
interface JsonPlace {
  readonly level: number;
  readonly path: number;
}

const ROOT: JsonPlace = { level: 0, path: 0 };

type CheckInside<T> = (value: T, place: JsonPlace) => void;

type JsonLimits = Required<
  Pick<FieldLimits, "values" | "jsonCharacters" | "levels" | "key" | "path">
>;

/**
 * Measures a JSON value until it exceeds a limit: a `Struct` is plain JSON in memory, a `Value` and
 * everything inside it are messages.
 */
class JsonSize {
  /** The path of the field. */
  readonly #field: string;
  readonly #limits: JsonLimits;
  #values = 0;
  #characters = 0;

  constructor(
    field: string,
    { values = 0, jsonCharacters = 0, levels = 0, key = 0, path = 0 }: FieldLimits,
  ) {
    this.#field = field;
    this.#limits = { values, jsonCharacters, levels, key, path };
  }

  readonly ofJson: CheckInside<JsonValue> = (value, place) => {
    if (Array.isArray(value)) this.#ofList(value, place, this.ofJson);
    else if (typeof value === "object" && value !== null) this.#ofObject(value, place, this.ofJson);
    else this.#ofScalar(value);
  };

  readonly ofValue: CheckInside<Value> = ({ kind }, place) => {
    checkField(kind.case !== undefined, this.#field, "VALUE_INVALID", NOT_IN_JSON);
    if (kind.case === "structValue") this.#ofObject(kind.value.fields, place, this.ofValue);
    else if (kind.case === "listValue") this.#ofList(kind.value.values, place, this.ofValue);
    else this.#ofScalar(kind.value);
  };

  #ofScalar(value: unknown): void {
    const isInJson = typeof value !== "number" || Number.isFinite(value);
    checkField(isInJson, this.#field, "VALUE_INVALID", NOT_IN_JSON);
    this.#countValue();
    if (typeof value === "string") this.#countText(value);
  }

  #ofList<T>(items: readonly T[], place: JsonPlace, check: CheckInside<T>): void {
    this.#countValue();
    this.#checkLevel(place);
    const below = { ...place, level: place.level + 1 };
    for (const item of items) check(item, below);
  }

  #ofObject<T>(object: Readonly<Record<string, T>>, place: JsonPlace, check: CheckInside<T>): void {
    this.#countValue();
    this.#checkLevel(place);
    const { key, path } = this.#limits;
    for (const [name, member] of Object.entries(object)) {
      checkLength(name, key, this.#field, "characters in a key");
      const below = { level: place.level + 1, path: place.path + name.length };
      if (below.path > path) {
        const description = `must not have keys of more than ${path} characters in total on the path to a value`;
        throw aboveLimit(this.#field, "JSON_TOO_DEEP", description, below.path, path);
      }
      this.#countText(name);
      check(member, below);
    }
  }

  #checkLevel({ level }: JsonPlace): void {
    const { levels } = this.#limits;
    if (level < levels) return;
    const description = `must not nest objects and arrays more than ${levels} levels deep`;
    throw aboveLimit(this.#field, "JSON_TOO_DEEP", description, level + 1, levels);
  }

  #countValue(): void {
    this.#values += 1;
    this.#checkSize("values", this.#values, this.#limits.values);
  }

  #countText({ length }: string): void {
    this.#characters += length;
    this.#checkSize("characters", this.#characters, this.#limits.jsonCharacters);
  }

  /** Checks a size, which may be smaller than the full one because measuring ends at the limit. */
  #checkSize(unit: string, size: number, limit: number): void {
    if (size <= limit) return;
    throw aboveLimit(
      this.#field,
      "JSON_TOO_LARGE",
      `must have at most ${limit} ${unit}`,
      size,
      limit,
    );
  }
}

const NOT_IN_JSON = "must be a JSON value; a Value without kind, NaN and infinity are not";
