import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { diffJson } from "../../src/domain/changes/json-merge.ts";
import type { Document, Operation, Schema } from "../openapi.ts";
import { call, create, type Warning } from "./api.ts";
import { useApp } from "./app.ts";
import { isReleasable, type Kind, type Methods, methodsOf } from "./kinds.ts";
import { listFields } from "./schema.ts";

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
  readonly document: Document;
}

/** Returns the way of the view to the resources of a kind: through its release, if the kind has drafts. */
export function useAccess(kind: Kind): Access {
  return useAccessOf()(kind);
}

/** Returns a function that returns the way of the view to the resources of a kind. */
export function useAccessOf(): (kind: Kind) => Access {
  const { route, operations, document } = useApp();
  return (kind) => {
    const methods = methodsOf(kind, operations);
    const release = isReleasable(methods) ? (route.query.release ?? "") : "";
    return { kind, methods, projectId: route.projectId, release, document };
  };
}

/** Writes the path of a method with the id of a resource. Fails for a method that the kind does not have. */
export function pathOf(operation: Operation | undefined, id = ""): string {
  if (operation === undefined) throw new Error("the kind has no such method");
  return operation.path.replace(/\{\w+\}/, encodeURIComponent(id));
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

/** Lists the fields to write: of a oneof, the member that is set, because it clears the others. */
export function listMask({ methods, document }: Access, before: JsonObject, after: JsonObject) {
  const oneofs = new Map(
    listFields(schemaOf(methods), document).map(({ name, oneof }) => [name, oneof || name]),
  );
  const changed = listChanged(before, after);
  const set = changed.filter((it) => it in after);
  const isCleared = (it: string) => set.some((other) => oneofs.get(other) === oneofs.get(it));
  return [...set, ...changed.filter((it) => !(it in after) && !isCleared(it))];
}

/** Writes fields of the root of a resource that has not changed since it was read. */
export async function writeFields(
  access: Access,
  loaded: Resource,
  edited: JsonObject,
  mask: readonly string[] = listMask(access, loaded.value, edited),
) {
  const { methods, release } = access;
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
    resource: toResource(access, reply.body, { ...loaded, etag: reply.etag }),
    warnings: reply.warnings,
  };
}

/** Creates a resource; `query` has the id, and of a component its place. `secret`: what signs its requests; empty: nothing. */
export async function createResource(
  access: Access,
  value: JsonObject,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<Resource & { readonly secret: string; readonly warnings: readonly Warning[] }> {
  const { methods, release, projectId } = access;
  const reply = await create({
    path: pathOf(methods.create),
    query: { ...query, release_id: release },
    body: { ...value, project_id: projectId },
  });
  const secret = String(reply.body.signing_secret ?? "");
  return { ...toResource(access, reply.body, reply), secret, warnings: reply.warnings };
}

/** Deletes a resource. A trial stores nothing: it fails as the deletion would. */
export async function deleteResource(
  { methods, release }: Access,
  { value, etag }: Resource,
  options: { readonly force?: boolean; readonly isTrial?: boolean },
): Promise<void> {
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
  return kind.field ?? kind.name;
}

function toResource(
  access: Access,
  body: JsonObject,
  { etag, pendingReleases }: Omit<Resource, "value">,
): Resource {
  return { value: body[fieldOf(access)] as JsonObject, etag, pendingReleases };
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
