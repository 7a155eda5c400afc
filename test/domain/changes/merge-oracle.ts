import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isEqual } from "../../../src/domain/changes/json-merge.ts";

/** A JSON value; undefined: there is none. */
type Value = JsonValue | undefined;

/** A place in JSON: its keys, and the schema of its object. */
interface Place {
  readonly keys: readonly string[];
  readonly schema: DescMessage | undefined;
}

/** The result of a merge; conflicts are lists of keys. */
export interface Merged {
  readonly value: Value;
  readonly conflicts: readonly (readonly string[])[];
}

/** Merges as the rule reads: whole values are compared first, again at each level. */
export function mergeByRule(
  base: Value,
  draft: Value,
  current: Value,
  schema?: DescMessage,
): Merged {
  const conflicts: (readonly string[])[] = [];
  return { value: merge(base, draft, current, { keys: [], schema }, conflicts), conflicts };
}

function merge(
  base: Value,
  draft: Value,
  current: Value,
  place: Place,
  conflicts: (readonly string[])[],
): Value {
  if (isEqual(draft, base) || isEqual(draft, current)) return current;
  if (isEqual(current, base)) return draft;
  if (isObject(draft) && isObject(current) && (base === undefined || isObject(base))) {
    const isNew = (it: JsonObject) => (key: string) =>
      Object.hasOwn(it, key) && !isEqual(it[key], readOwn(base, key));
    const merged = listKeys(current, draft).map((key) => {
      const [before, ours, theirs] = [base, draft, current].map((it) => readOwn(it, key));
      const below = placeBelow(place, key);
      const rivals = listRivals(place, key);
      if (rivals.some(isNew(draft))) return [key, undefined] as const;
      if (rivals.some(isNew(current)) && isNew(draft)(key)) {
        conflicts.push(below.keys);
        return [key, ours] as const;
      }
      return [key, merge(before, ours, theirs, below, conflicts)] as const;
    });
    return Object.fromEntries(merged.filter(([, it]) => it !== undefined)) as JsonObject;
  }
  conflicts.push(place.keys);
  return draft;
}

/** Lists the keys of the values that differ. */
export function diffByRule(before: Value, after: Value, keys: readonly string[] = []): unknown[] {
  if (isEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [keys];
  return listKeys(before, after).flatMap((key) =>
    diffByRule(readOwn(before, key), readOwn(after, key), [...keys, key]),
  );
}

/** Returns a newer state with the older values of some paths, and of their whole oneofs. */
export function keepByRule(
  older: Value,
  newer: Value,
  kept: readonly (readonly string[])[],
  place: Place,
): Value {
  const isKept = (keys: readonly string[]) => kept.some((it) => isEqual(it, keys));
  if (isKept(place.keys)) return older;
  if (!isObject(older) || !isObject(newer)) return newer;
  const values = listKeys(newer, older).map((key) => {
    const [before, after] = [readOwn(older, key), readOwn(newer, key)];
    const hasKept = listRivals(place, key).some((it) => isKept([...place.keys, it]));
    const value = hasKept ? before : keepByRule(before, after, kept, placeBelow(place, key));
    return [key, value] as const;
  });
  return Object.fromEntries(values.filter(([, it]) => it !== undefined)) as JsonObject;
}

function placeBelow({ keys, schema }: Place, key: string): Place {
  const message = schema?.fields.find(({ name }) => name === key)?.message;
  const isData = message?.typeName.startsWith("google.");
  return { keys: [...keys, key], schema: isData ? undefined : message };
}

function listRivals({ schema }: Place, key: string): readonly string[] {
  const { oneof } = schema?.fields.find(({ name }) => name === key) ?? {};
  return (oneof?.fields ?? []).map(({ name }) => name).filter((name) => name !== key);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listKeys(...objects: readonly JsonObject[]): readonly string[] {
  return [...new Set(objects.flatMap(Object.keys))];
}

function readOwn(object: JsonObject | undefined, key: string): Value {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
