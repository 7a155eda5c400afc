import type { ResourceRef } from "../../../domain/access/permissions.ts";
import { ALL_VISIBILITIES } from "../../../domain/content/visibility.ts";
import { isContentKind, KIND_NAMES, kindOf } from "../../../domain/kinds.ts";
import { listReferenceFields, type ResourceName } from "../../../domain/references.ts";
import { VALUE_LENGTH } from "../../content/indexed-fields.ts";
import { toLeafKey } from "../../content/leaf-key.ts";
import type { ReferrerStore } from "../../contract/store.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { listDependents } from "./cascade.ts";
import type { ProjectResource } from "./references.ts";

/** Lookups of references to resources. */
export class SqlReferrerStore extends ConnectedStore implements ReferrerStore {
  async list(resource: ResourceRef, limit: number): Promise<ResourceName[]> {
    const referrers = await Promise.all([
      listDependents(this.read, resource, limit),
      listInProject(this.read, resource, limit),
    ]);
    const distinct = new Map(referrers.flat().map((name) => [`${name.kind} ${name.id}`, name]));
    return [...distinct.values()].slice(0, limit);
  }
}

/** Lists the referrers of a resource of a project; outside projects, only its own parts refer to one. */
async function listInProject(
  read: Db,
  { kind, id, projectId }: ResourceRef,
  limit: number,
): Promise<ResourceName[]> {
  if (projectId === undefined) return [];
  const resource = { kind, id, projectId };
  const referrers = await Promise.all([
    listDocuments(read, resource, limit),
    listContent(read, resource, limit),
  ]);
  return referrers.flat();
}

async function listDocuments(read: Db, { kind, id, projectId }: ProjectResource, limit: number) {
  return await read.all(
    build
      .selectFrom("reference")
      .select(["from_type as kind", "from_id as id"])
      .where("to_type", "=", kind)
      .where("to_id", "=", id)
      .where("project_id", "=", projectId)
      .orderBy("from_type")
      .orderBy("from_id")
      .limit(limit),
  );
}

/** Finds content by its posting lists; its references are not stored elsewhere. */
async function listContent(
  read: Db,
  { kind, id, projectId }: ProjectResource,
  limit: number,
): Promise<ResourceName[]> {
  const fields = CONTENT_FIELDS.filter((it) => it.kind === kind).map(({ path }) => path);
  if (fields.length === 0) return [];
  const value = toLeafKey(id).slice(0, VALUE_LENGTH);
  const rows = await read.all(
    build
      .selectFrom("content_path as path")
      .innerJoin("content_collection", "content_collection.collection", "path.collection")
      .innerJoin("content_value as value", "value.path", "path.path")
      .select(["content_collection.kind", "value.id"])
      .distinct()
      .where("path.name", "in", [...new Set(fields)])
      .where("content_collection.project_id", "=", projectId)
      // The columns of the primary key before `value` must be bound.
      .where("value.visibility", "in", ALL_VISIBILITIES)
      .where("value.value", "=", value)
      .limit(limit),
  );
  return rows;
}

const CONTENT_FIELDS = KIND_NAMES.filter(isContentKind).flatMap((name) =>
  listReferenceFields(kindOf(name).schema),
);
