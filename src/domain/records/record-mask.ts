import type { DescField, DescMessage, JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import { isFreeJson, readField, writeField } from "../base/descriptors.ts";
import { aboveLimit, invalidField } from "../base/field-errors.ts";
import { isObject, readOwn, setOwn } from "../base/json.ts";
import { clip, suggestNames, toSnakeCase } from "../base/text.ts";
import { applyMask, type CheckedMask } from "../validation/field-mask.ts";

/** Maximum number of paths in the mask of a record. */
export const MOST_PATHS = 100;

/** The fields of a stored resource that a record changes. */
export interface RecordMask {
  /** The paths as they were sent, the names of fields in snake_case. */
  readonly paths: readonly string[];
  /** The names of whole fields. */
  readonly fields: CheckedMask;
  /** The values below other fields, by the names of the fields. */
  readonly values: ReadonlyMap<string, MaskTree>;
}

/** The keys of a map or an object of free JSON that a mask leads to: `true` for a whole value, else the keys below it. */
type MaskTree = Map<string, MaskTree | true>;

/**
 * Parses the mask of a record: names of fields in snake_case or lowerCamelCase, separated by commas. A path such as
 * `title.de` leads to a value of a map, and one such as `fields.score` below a field of free JSON; keys are kept as they
 * are. A path below another one is covered by it. INVALID_ARGUMENT `UPDATE_MASK_INVALID` for a name that is not among
 * `allowed`, or an empty one, and `TOO_MANY_ITEMS` for more than {@link MOST_PATHS} paths.
 */
export function parseRecordMask(
  text: string,
  schema: DescMessage,
  allowed: readonly string[],
): RecordMask {
  const sent = text.split(",");
  if (sent.length > MOST_PATHS) {
    const description = `must have at most ${MOST_PATHS} paths, not ${sent.length}`;
    throw aboveLimit("fields_mask", "TOO_MANY_ITEMS", description, sent.length, MOST_PATHS);
  }
  const paths = new Set<string>();
  const root: MaskTree = new Map();
  for (const path of sent.map((it) => it.trim())) {
    const [first = "", ...keys] = path.split(".");
    const name = toSnakeCase(first);
    const field = schema.fields.find((it) => it.name === name);
    const depth = isFreeJson(field) ? Number.POSITIVE_INFINITY : field?.fieldKind === "map" ? 1 : 0;
    if (!allowed.includes(name) || keys.length > depth || keys.includes("")) {
      throw maskInvalid(path, allowed);
    }
    paths.add([name, ...keys].join("."));
    addPath(root, [name, ...keys]);
  }
  const fields = [...root.keys()].filter((name) => root.get(name) === true);
  const values = [...root].flatMap(([name, tree]) =>
    tree === true ? [] : [[name, tree] as const],
  );
  return {
    paths: [...paths],
    fields: Object.assign(fields, { checked: true as const }),
    values: new Map(values),
  };
}

/** Adds a path to a tree, unless a path that leads to it is there. */
function addPath(root: MaskTree, keys: readonly string[]): void {
  let tree = root;
  for (const key of keys.slice(0, -1)) {
    const below = tree.get(key) ?? new Map();
    if (below === true) return;
    tree.set(key, below);
    tree = below;
  }
  tree.set(keys.at(-1) ?? "", true);
}

/**
 * Returns a copy of a stored message with the masked fields and values of `sent`; what is absent there is removed. An
 * object on the way to a value is created if it is missing or no object. INVALID_ARGUMENT `UPDATE_MASK_INVALID` for a path to
 * a value that is neither sent nor stored.
 */
export function applyRecordMask(
  schema: DescMessage,
  stored: Message,
  sent: Message,
  { fields, values }: RecordMask,
): Message {
  const result = applyMask(schema, stored, sent, fields);
  for (const [name, tree] of values) {
    const field = schema.fields.find((it) => it.name === name) as DescField;
    const from = readField(sent, field) as JsonObject | undefined;
    const to = readField(result, field) as JsonObject | undefined;
    writeField(result, field, setValues(to ?? {}, from, tree, name));
  }
  return result;
}

/**
 * Returns an object with the values of `from` at the keys of a tree below `path`. Values that `from` lacks are removed.
 * Undefined if `json` is another value and nothing was sent.
 */
function setValues(
  json: JsonValue | undefined,
  from: JsonValue | undefined,
  tree: MaskTree,
  path: string,
): JsonObject | undefined {
  const result: JsonObject = isObject(json) ? { ...json } : {};
  for (const [key, below] of tree) {
    const sent = isObject(from) ? readOwn(from, key) : undefined;
    const keyPath = `${path}.${key}`;
    const stored = readOwn(result, key);
    if (sent === undefined && stored === undefined) {
      throw namesNothing(keyPath, key, [json, from]);
    }
    const value = below === true ? sent : setValues(stored, sent, below, keyPath);
    if (value !== undefined) setOwn(result, key, value);
    else if (below === true) delete result[key];
  }
  return isObject(json) || Object.keys(result).length > 0 ? result : undefined;
}

/** Creates the error of a path to a value that two objects lack. */
function namesNothing(path: string, key: string, objects: readonly (JsonValue | undefined)[]) {
  const known = new Set(objects.flatMap((it) => (isObject(it) ? Object.keys(it) : [])));
  const description = `'${clip(path)}' names no value, sent or stored${suggestNames(key, known)}`;
  return invalidField("fields_mask", "UPDATE_MASK_INVALID", description);
}

function maskInvalid(path: string, allowed: readonly string[]) {
  const names = `${allowed.join(", ")}${suggestNames(path, allowed)}`;
  const description = `'${clip(path)}' is not a field that can be updated; allowed fields: ${names}, and paths below maps and free JSON, such as title.en and fields.score`;
  return invalidField("fields_mask", "UPDATE_MASK_INVALID", description);
}
