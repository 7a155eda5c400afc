import {
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { perDescriptor } from "../base/descriptors.ts";
import { isObject, readOwn } from "../base/json.ts";
import { type PathTree, WHOLE } from "./path-tree.ts";

/** A JSON value; undefined: there is none. */
type Value = JsonValue | undefined;

/** The result of a merge. */
export interface Merged {
  /** Both changes together; of a path in conflict the value of the draft. */
  readonly value: Value;
  /** The paths that both sides changed, to different values; undefined: there are none. */
  readonly conflicts: PathTree | undefined;
}

/** How the three states of a value differ. */
interface Difference {
  readonly draftChanged: boolean;
  readonly currentChanged: boolean;
  readonly sidesDiffer: boolean;
}

/** Returns the JSON of a resource that a person has written: without the time of its last update. */
export function toWrittenJson(schema: DescMessage, message: Message): JsonObject {
  const json = toJson(schema, message, { useProtoFieldName: true }) as JsonObject;
  const { update_time: _, ...state } = json;
  return state;
}

/**
 * Merges two changes of one value by path: objects by key, lists and scalars as a whole. If both set other members of a
 * oneof of `schema`, the draft's is a conflict, and stays alone. Each value is compared once.
 */
export function mergeJson(base: Value, draft: Value, current: Value, schema?: DescMessage): Merged {
  const { value, conflicts } = merge(base, draft, current, schema);
  return { value, conflicts };
}

function merge(
  base: Value,
  draft: Value,
  current: Value,
  schema: DescMessage | undefined,
): Merged & Difference {
  if (isObject(draft) && isObject(current) && (base === undefined || isObject(base))) {
    return mergeObjects(base, draft, current, schema);
  }
  const difference = {
    draftChanged: !isEqual(draft, base),
    currentChanged: !isEqual(current, base),
    sidesDiffer: !isEqual(draft, current),
  };
  return choose(difference, draft, current, () => ({ value: draft, conflicts: WHOLE }));
}

function mergeObjects(
  base: JsonObject | undefined,
  draft: JsonObject,
  current: JsonObject,
  schema: DescMessage | undefined,
): Merged & Difference {
  const below = new Map<string, Merged & Difference>();
  for (const key of listKeys(current, draft, base ?? {})) {
    const [before, ours, theirs] = [base, draft, current].map((it) => readOwn(it, key));
    below.set(key, merge(before, ours, theirs, findMember(schema, key).schema));
  }
  const values = [...below.values()];
  const difference = {
    draftChanged: base === undefined || values.some((it) => it.draftChanged),
    currentChanged: base === undefined || values.some((it) => it.currentChanged),
    sidesDiffer: values.some((it) => it.sidesDiffer),
  };
  return choose(difference, draft, current, () => {
    const conflicts = new Map<string, PathTree>();
    const isSetInDraft = (it: string) => Object.hasOwn(draft, it) && below.get(it)?.draftChanged;
    const isSetInCurrent = (it: string) =>
      Object.hasOwn(current, it) && below.get(it)?.currentChanged;
    const merged = Array.from(below, ([key, it]) => {
      const { rivals } = findMember(schema, key);
      if (rivals.some(isSetInDraft)) return [key, undefined] as const;
      const isRivaled = rivals.some(isSetInCurrent) && isSetInDraft(key);
      const found = isRivaled ? WHOLE : it.conflicts;
      if (found !== undefined) conflicts.set(key, found);
      return [key, isRivaled ? draft[key] : it.value] as const;
    });
    return { value: toObject(merged), conflicts: conflicts.size > 0 ? conflicts : undefined };
  });
}

/** Chooses the side that has changed alone, or what both make together. */
function choose(
  difference: Difference,
  draft: Value,
  current: Value,
  together: () => Merged,
): Merged & Difference {
  const { draftChanged, currentChanged, sidesDiffer } = difference;
  if (!draftChanged || !sidesDiffer) return { ...difference, value: current, conflicts: undefined };
  if (!currentChanged) return { ...difference, value: draft, conflicts: undefined };
  return { ...difference, ...together() };
}

/** Returns the newer one of two states of a value, with the older values of some paths, and of their whole oneofs. */
export function keepPaths(
  older: Value,
  newer: Value,
  kept: PathTree | undefined,
  schema: DescMessage | undefined,
): Value {
  if (kept === undefined) return newer;
  if (kept.size === 0) return older;
  if (!isObject(older) || !isObject(newer)) return newer;
  const values = listKeys(newer, older).map((key) => {
    const [before, after] = [readOwn(older, key), readOwn(newer, key)];
    const member = findMember(schema, key);
    const isKept = member.rivals.some((it) => kept.get(it)?.size === 0);
    const value = isKept ? before : keepPaths(before, after, kept.get(key), member.schema);
    return [key, value] as const;
  });
  return toObject(values);
}

/** Returns the paths with different values, in the order of the keys; undefined: there are none. */
export function diffJson(before: Value, after: Value): PathTree | undefined {
  if (!isObject(before) || !isObject(after)) return isEqual(before, after) ? undefined : WHOLE;
  if (before === after) return undefined;
  const changed = new Map<string, PathTree>();
  for (const key of listKeys(before, after)) {
    const below = diffJson(readOwn(before, key), readOwn(after, key));
    if (below !== undefined) changed.set(key, below);
  }
  return changed.size > 0 ? changed : undefined;
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

/** A field of a message in its JSON. */
interface Member {
  /** The message of its value; undefined: the names below it are data. */
  readonly schema: DescMessage | undefined;
  /** The other members of its oneof: at most one of them is set. */
  readonly rivals: readonly string[];
}

const membersOf = perDescriptor(
  ({ fields }: DescMessage): ReadonlyMap<string, Member> =>
    new Map(
      fields.map(({ name, message, oneof }) => [
        name,
        {
          schema: message?.typeName.startsWith("google.") ? undefined : message,
          rivals: (oneof?.fields ?? []).map((it) => it.name).filter((it) => it !== name),
        },
      ]),
    ),
);

const DATA: Member = { schema: undefined, rivals: [] };

/** Returns the description of a member of an object; without a schema, its names are data. */
function findMember(schema: DescMessage | undefined, key: string): Member {
  return (schema && membersOf(schema).get(key)) ?? DATA;
}

function listKeys(...objects: readonly JsonObject[]): readonly string[] {
  return [...new Set(objects.flatMap(Object.keys))];
}

/** Creates an object by definition of its properties: a key may be `__proto__`. */
function toObject(entries: readonly (readonly [key: string, value: Value])[]): JsonObject {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as JsonObject;
}
