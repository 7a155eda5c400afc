import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject, readOwn } from "../../src/domain/base/json.ts";
import { isEqual, mergeJson } from "../../src/domain/changes/json-merge.ts";
import type { PathTree } from "../../src/domain/changes/path-tree.ts";
import type { Document, Schema } from "../openapi.ts";
import { ApiError, type Warning } from "./api.ts";
import {
  type Access,
  listChanged,
  type Resource,
  readResource,
  schemaOf,
  setAt,
  writeFields,
} from "./resource.ts";
import { type Entry, listEntries, listFields } from "./schema.ts";

/** The result of a save. */
export type Saved =
  | {
      readonly outcome: "saved";
      readonly resource: Resource;
      /** True if another person's change of other values is part of it. */
      readonly isMerged: boolean;
      readonly warnings: readonly Warning[];
    }
  | {
      readonly outcome: "conflict";
      /** The newest version, by another person. */
      readonly theirs: Resource;
      /** Both changes together, with the own values where both have changed one. */
      readonly merged: JsonObject;
      readonly conflicts: readonly Conflict[];
    };

/** The names from the root to a value. */
type Path = readonly string[];

/** Values that two persons have changed: a field, or the members of a oneof, of which one can be set. */
export interface Conflict {
  readonly paths: readonly Path[];
  readonly mine: Side;
  readonly theirs: Side;
}

/** The values of one person, in the order of the paths. */
export type Side = readonly (JsonValue | undefined)[];

/** The states of a resource that a merge compares. */
interface States {
  readonly base: JsonObject;
  readonly mine: JsonObject;
  readonly theirs: JsonObject;
}

/**
 * Saves the fields that a person has changed. If another person has saved since the read, both changes are saved
 * together unless both changed one value.
 */
export async function saveResource(
  access: Access,
  loaded: Resource,
  edited: JsonObject,
): Promise<Saved> {
  try {
    return { ...(await writeFields(access, loaded, edited)), isMerged: false };
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.reason !== "ETAG_MISMATCH") throw cause;
  }
  const theirs = await readResource(access, String(loaded.value.id));
  const states = { base: loaded.value, mine: edited, theirs: theirs.value };
  const { merged, conflicts } = mergeEdits(states, schemaOf(access.methods), access.document);
  if (conflicts.length > 0) return { outcome: "conflict", theirs, merged, conflicts };
  if (listChanged(theirs.value, merged).length === 0) {
    return { outcome: "saved", resource: theirs, isMerged: true, warnings: [] };
  }
  return { ...(await writeFields(access, theirs, merged)), isMerged: true };
}

/** Returns a saved resource with the changes that a person has typed since it was sent. */
export function keepTyped(sent: JsonObject, typed: JsonObject, saved: JsonObject): JsonObject {
  return mergeJson(sent, typed, saved).value as JsonObject;
}

/** Merges the changes of two persons; of values in conflict, the own ones stay. */
function mergeEdits(
  states: States,
  schema: Schema,
  document: Document,
): { readonly merged: JsonObject; readonly conflicts: readonly Conflict[] } {
  const { base, mine, theirs } = states;
  const { value, conflicts = new Map() } = mergeJson(base, mine, theirs);
  const rivals = listRivals(states, schema, document);
  const isOfRivals = (path: Path) =>
    rivals.flat().some((it) => it.every((name, index) => path[index] === name));
  const alone = listPaths(conflicts).filter((path) => !isOfRivals(path));
  const merged = rivals
    .flat()
    .reduce((object, path) => setAt(object, path, valueAt(mine, path)), value as JsonObject);
  const listed = [...alone.map((path) => [path]), ...rivals].map((paths) => ({
    paths,
    mine: paths.map((path) => valueAt(mine, path)),
    theirs: paths.map((path) => valueAt(theirs, path)),
  }));
  return { merged, conflicts: listed };
}

/** Lists the oneofs of which both persons have set another member, each as the paths of both members. */
function listRivals(
  { base, mine, theirs }: States,
  schema: Schema,
  document: Document,
  above: Path = [],
): readonly (readonly Path[])[] {
  return listEntries(listFields(schema, document)).flatMap((entry) => {
    const { oneof, fields } = entry;
    if (oneof !== "") {
      const [before, ours, others] = [base, mine, theirs].map((it) => findSet(entry, it));
      const isChanged = (it: JsonObject) =>
        fields.some(({ name }) => !isEqual(it[name], base[name]));
      if (ours !== others && isChanged(mine) && isChanged(theirs)) {
        const names = new Set([ours, others, before].filter((it) => it !== undefined));
        return [[...names].map((name) => [...above, name])];
      }
    }
    return fields.flatMap((field) => {
      const [before, ours, others] = [base, mine, theirs].map((it) => it[field.name]);
      if (field.control !== "object" || !isObject(ours) || !isObject(others)) return [];
      const below = { base: isObject(before) ? before : {}, mine: ours, theirs: others };
      return listRivals(below, field.schema, document, [...above, field.name]);
    });
  });
}

function valueAt(object: JsonObject, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (it, key) => (isObject(it) ? readOwn(it, key) : undefined),
    object,
  );
}

function findSet({ fields }: Entry, object: JsonObject): string | undefined {
  return fields.find(({ name }) => name in object)?.name;
}

function listPaths(tree: PathTree, path: Path = []): readonly Path[] {
  if (tree.size === 0) return path.length === 0 ? [] : [path];
  return [...tree].flatMap(([key, below]) => listPaths(below, [...path, key]));
}
