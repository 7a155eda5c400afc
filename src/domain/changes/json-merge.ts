import {
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";

/** A JSON value; undefined: there is none. */
type Value = JsonValue | undefined;

/** A path that both sides of a merge changed, to different values. */
export interface PathConflict {
  readonly path: string;
  readonly base: Value;
  readonly live: Value;
  readonly draft: Value;
}

/** The result of a merge. */
export interface Merged {
  /** Both changes together; of a path in conflict the value of the draft. */
  readonly value: Value;
  readonly conflicts: readonly PathConflict[];
}

/** Returns the JSON of a resource that a person has written: without the time of its last update. */
export function toWrittenJson(schema: DescMessage, message: Message): JsonObject {
  const json = toJson(schema, message, { useProtoFieldName: true }) as JsonObject;
  const { update_time: _, ...state } = json;
  return state;
}

/**
 * Merges two changes of one value by path: objects by key, lists and scalars as a whole. If both set other members of a
 * oneof of `schema`, the draft's is a conflict, and stays alone.
 */
export function mergeJson(base: Value, draft: Value, live: Value, schema?: DescMessage): Merged {
  const conflicts: PathConflict[] = [];
  return { value: merge(base, draft, live, { path: "", schema }, conflicts), conflicts };
}

/** A place in the JSON of a message; without a schema, its names are data. */
export interface Place {
  readonly path: string;
  readonly schema: DescMessage | undefined;
}

function merge(
  base: Value,
  draft: Value,
  live: Value,
  place: Place,
  conflicts: PathConflict[],
): Value {
  if (isEqual(draft, base) || isEqual(draft, live)) return live;
  if (isEqual(live, base)) return draft;
  if (isObject(draft) && isObject(live) && (base === undefined || isObject(base))) {
    const isNew = (it: JsonObject) => (key: string) =>
      Object.hasOwn(it, key) && !isEqual(it[key], readOwn(base, key));
    const merged = listKeys(live, draft).map((key) => {
      const [before, ours, theirs] = [base, draft, live].map((it) => readOwn(it, key));
      const below = placeBelow(place, key);
      const rivals = listRivals(place, key);
      if (rivals.some(isNew(draft))) return [key, undefined] as const;
      if (rivals.some(isNew(live)) && isNew(draft)(key)) {
        conflicts.push({ path: below.path, base: before, live: theirs, draft: ours });
        return [key, ours] as const;
      }
      return [key, merge(before, ours, theirs, below, conflicts)] as const;
    });
    return toObject(merged);
  }
  conflicts.push({ path: place.path, base, live, draft });
  return draft;
}

/** Returns the newer one of two states of a value, with the older values of some paths, and of their whole oneofs. */
export function keepPaths(
  older: Value,
  newer: Value,
  kept: ReadonlySet<string>,
  place: Place,
): Value {
  if (kept.has(place.path)) return older;
  if (!isObject(older) || !isObject(newer)) return newer;
  const values = listKeys(newer, older).map((key) => {
    const [before, after] = [readOwn(older, key), readOwn(newer, key)];
    const isKept = listRivals(place, key).some((it) => kept.has(joinPath(place.path, it)));
    return [key, isKept ? before : keepPaths(before, after, kept, placeBelow(place, key))] as const;
  });
  return toObject(values);
}

/** Returns the place of a value of an object. */
function placeBelow({ path, schema }: Place, key: string): Place {
  const message = schema?.fields.find(({ name }) => name === key)?.message;
  const isData = message?.typeName.startsWith("google.");
  return { path: joinPath(path, key), schema: isData ? undefined : message };
}

/** Lists the other members of a oneof: at most one of them is set. */
function listRivals({ schema }: Place, key: string): readonly string[] {
  const { oneof } = schema?.fields.find(({ name }) => name === key) ?? {};
  return (oneof?.fields ?? []).map(({ name }) => name).filter((name) => name !== key);
}

/** A path and its two values, which differ. */
export interface ChangedValue {
  readonly path: string;
  readonly before: Value;
  readonly after: Value;
}

/** Lists the paths with different values, in the order of the keys; the empty path is the value itself. */
export function listChangedPaths(before: Value, after: Value): string[] {
  return listChangedValues(before, after).map(({ path }) => path);
}

/** Works like `listChangedPaths`, with the values. */
export function listChangedValues(before: Value, after: Value, path: string = ""): ChangedValue[] {
  if (isEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path, before, after }];
  return listKeys(before, after).flatMap((key) =>
    listChangedValues(readOwn(before, key), readOwn(after, key), joinPath(path, key)),
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listKeys(...objects: readonly JsonObject[]): readonly string[] {
  return [...new Set(objects.flatMap(Object.keys))];
}

/** Compares JSON, or values of messages; the keys of objects may be in any order. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  const isSameSize = keys.length === Object.keys(b).length;
  return isSameSize && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

/** Returns an own value of an object: a key may be `__proto__`. */
function readOwn(object: JsonObject | undefined, key: string): Value {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Creates an object by definition of its properties: a key may be `__proto__`. */
function toObject(entries: readonly (readonly [key: string, value: Value])[]): JsonObject {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Appends a key to a path such as `fields.score`; a key of other characters than a name is quoted. */
function joinPath(path: string, key: string): string {
  const name = /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(key) ? key : JSON.stringify(key);
  return path === "" ? name : `${path}.${name}`;
}
