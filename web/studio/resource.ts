import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { diffJson, mergeJson } from "../../src/domain/changes/json-merge.ts";
import type { PathTree } from "../../src/domain/changes/path-tree.ts";
import type { Operation, Schema } from "../openapi.ts";
import { ApiError, call, type Warning } from "./api.ts";
import type { Kind, Methods } from "./kinds.ts";

/** A resource as it was read. */
export interface Resource {
  readonly value: JsonObject;
  readonly etag: string;
  /** The releases that will change it. */
  readonly pendingReleases: readonly string[];
}

/** A way to the resources of a kind. */
export interface Access {
  readonly kind: Kind;
  readonly methods: Methods;
  readonly projectId: string;
  /** The release that they are read and written in; empty: the current version. */
  readonly release: string;
}

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

/** A value that two persons have changed. */
export interface Conflict {
  readonly path: readonly string[];
  readonly mine: JsonValue | undefined;
  readonly theirs: JsonValue | undefined;
}

/** Writes the path of a method with the id of a resource. */
export function pathOf({ path }: Operation, id = ""): string {
  return path.replace(/\{\w+\}/, encodeURIComponent(id));
}

/** Returns the schema of the resources of a kind: the body of their creation. */
export function schemaOf({ create }: Methods): Schema {
  return create?.requestBody?.content["application/json"].schema ?? {};
}

/** Reads a resource. */
export async function readResource(
  access: Access,
  id: string,
  signal?: AbortSignal,
): Promise<Resource> {
  const { methods, release } = access;
  if (methods.get === undefined) throw new Error(`${access.kind.name} has no Get method`);
  const reply = await call({
    path: pathOf(methods.get, id),
    query: { release_id: release },
    signal,
  });
  return toResource(access, reply.body, reply);
}

/** Lists the fields of the root that differ, as an update mask names them. */
export function listChanged(before: JsonObject, after: JsonObject): readonly string[] {
  return [...(diffJson(before, after)?.keys() ?? [])];
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
  const { value, conflicts } = mergeJson(loaded.value, edited, theirs.value);
  const merged = value as JsonObject;
  if (conflicts !== undefined) {
    const listed = listConflicts(conflicts, edited, theirs.value);
    return { outcome: "conflict", theirs, merged, conflicts: listed };
  }
  return { ...(await writeFields(access, theirs, merged)), isMerged: true };
}

/** Writes fields of the root of a resource that has not changed since it was read. */
export async function writeFields(
  access: Access,
  loaded: Resource,
  edited: JsonObject,
  mask: readonly string[] = listChanged(loaded.value, edited),
) {
  const { methods, release, kind } = access;
  if (methods.update === undefined) throw new Error(`${kind.name} has no Update method`);
  const sent = Object.fromEntries(mask.flatMap((it) => (it in edited ? [[it, edited[it]]] : [])));
  const reply = await call({
    method: "PATCH",
    path: pathOf(methods.update, String(loaded.value.id)),
    query: { release_id: release },
    headers: loaded.etag === "" ? {} : { "if-match": loaded.etag },
    body: { [fieldOf(access)]: sent as JsonObject, update_mask: mask.join(",") },
  });
  return {
    outcome: "saved" as const,
    resource: toResource(access, reply.body, reply),
    warnings: reply.warnings,
  };
}

/** Creates a resource; `query` has the id, and of a component its place. */
export async function createResource(
  access: Access,
  value: JsonObject,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<Resource> {
  const { methods, release, kind, projectId } = access;
  if (methods.create === undefined) throw new Error(`${kind.name} has no Create method`);
  const reply = await call({
    method: "POST",
    path: pathOf(methods.create),
    query: { ...query, release_id: release, request_id: crypto.randomUUID() },
    body: { ...value, project_id: projectId },
  });
  return toResource(access, reply.body, reply);
}

/** Deletes a resource. A trial stores nothing: it fails as the deletion would. */
export async function deleteResource(
  { methods, release, kind }: Access,
  { value, etag }: Resource,
  options: { readonly force?: boolean; readonly isTrial?: boolean },
): Promise<void> {
  if (methods.delete === undefined) throw new Error(`${kind.name} has no Delete method`);
  await call({
    method: "DELETE",
    path: pathOf(methods.delete, String(value.id)),
    query: {
      release_id: release,
      force: options.force || undefined,
      validate_only: options.isTrial || undefined,
    },
    headers: etag === "" ? {} : { "if-match": etag },
  });
}

/** The field of requests and responses that has the resource. */
export function fieldOf({ kind }: Pick<Access, "kind">): string {
  return kind.name === "page_component" ? "page_component" : snakeOf(kind.methods[0]);
}

function snakeOf(name: string): string {
  return name.replace(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase();
}

function toResource(
  access: Access,
  body: JsonObject,
  { etag, pendingReleases }: Omit<Resource, "value">,
): Resource {
  return { value: body[fieldOf(access)] as JsonObject, etag, pendingReleases };
}

function listConflicts(
  tree: PathTree,
  mine: JsonValue | undefined,
  theirs: JsonValue | undefined,
  path: readonly string[] = [],
): readonly Conflict[] {
  if (tree.size === 0) return [{ path, mine, theirs }];
  return [...tree].flatMap(([key, below]) =>
    listConflicts(below, memberOf(mine, key), memberOf(theirs, key), [...path, key]),
  );
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return typeof value === "object" && value !== null ? (value as JsonObject)[key] : undefined;
}

/** Returns an object with a value at a path; undefined removes the member. */
export function setAt(
  object: JsonObject,
  [key = "", ...rest]: readonly string[],
  value: JsonValue | undefined,
): JsonObject {
  const below = rest.length === 0 ? value : setAt((object[key] ?? {}) as JsonObject, rest, value);
  const { [key]: _, ...others } = object;
  return below === undefined ? others : { ...object, [key]: below };
}
