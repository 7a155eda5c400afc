import { sql } from "kysely";
import { INSTALLATION, type ResourceRef } from "../../../domain/access/permissions.ts";
import { notFound } from "../../../domain/base/errors.ts";
import type { ContentKind } from "../../../domain/content/order.ts";
import { isContentKind, isKindName, KINDS, type KindName } from "../../../domain/kinds.ts";
import type { HolderKind } from "../../../domain/quotas.ts";
import { scopeAround } from "../../contract/write-scope.ts";
import type { Db } from "../../db/db.ts";
import { build, type Operand, prepareByKey, type Query, type SlotOf } from "../../db/query.ts";
import type { FindScope } from "../base/in-transaction.ts";
import { tableOf } from "./document-kinds.ts";

/**
 * Locates resources of one kind, in unspecified order: organizations and projects in the installation, all
 * others in an organization.
 */
export async function locateResources(
  db: Db,
  kind: string,
  ids: readonly string[],
  organizationId?: string,
): Promise<ResourceRef[]> {
  if (ids.length === 0) return [];
  if (kind === INSTALLATION.kind) return [INSTALLATION];
  if (kind === "organization" || kind === "project") return locateHolders(db, kind, ids);
  if (organizationId === undefined || !isKindName(kind)) return [];
  // An integration is found by its project.
  if (KINDS[kind].keep === "integration") return [];
  const rows = await db.all(selectAmong(kind, ids, organizationId));
  return rows.map(({ id, project_id }) => ({
    kind,
    id,
    organizationId,
    ...(project_id !== undefined && { projectId: project_id }),
  }));
}

/** Selects the resources of a kind among some ids. */
function selectAmong(
  kind: KindName,
  ids: readonly string[],
  organizationId: string,
): Query<{ id: string; project_id?: string }> {
  const [only] = ids;
  if (isContentKind(kind)) return selectContent(kind, ids, organizationId);
  if (kind === "action_run") return selectRuns(ids, organizationId);
  if (ids.length > 1 || only === undefined) {
    return selectPlaces(kind, organizationId).where("id", "in", ids);
  }
  return selectPlace(kind, { id: only, organizationId });
}

function selectPlaces(kind: KindName, organizationId: Operand<string>) {
  return build
    .selectFrom(tableOf(kind))
    .select("id")
    .$if(KINDS[kind].in === "project", (it) => it.select("project_id"))
    .where("organization_id", "=", organizationId);
}

const selectPlace = prepareByKey(
  (slot: SlotOf<{ id: string; organizationId: string }>, kind: KindName) =>
    selectPlaces(kind, slot("organizationId")).where("id", "=", slot("id")),
);

/** Locates a resource; NOT_FOUND if there is none. */
export async function locateResource<Type extends string>(
  db: Db,
  kind: Type,
  id: string,
  organizationId: string,
): Promise<ResourceRef & { readonly kind: Type }> {
  const [found] = await locateResources(db, kind, [id], organizationId);
  if (found === undefined) throw notFound(kind, id);
  return { ...found, kind };
}

/** Creates the search for the scope of a write to a resource of an organization; NOT_FOUND if there is none. */
export function scopeOf(kind: string, id: string, organizationId: string): FindScope {
  return async (db) => scopeAround(await locateResource(db, kind, id, organizationId));
}

async function locateHolders(
  db: Db,
  kind: HolderKind,
  ids: readonly string[],
): Promise<ResourceRef[]> {
  const organization = kind === "project" ? "organization_id" : "id";
  const select = build.selectFrom(kind).select(["id", sql.ref<string>(organization).as("in")]);
  const rows = await db.all(select.where("id", "in", ids));
  return rows.map(({ id, in: organizationId }) => ({
    ...{ kind, id, organizationId },
    ...(kind === "project" && { projectId: id }),
  }));
}

/** Selects runs, whose ids are generated and unique in the installation. */
function selectRuns(ids: readonly string[], organizationId: string) {
  return build
    .selectFrom("action_run as run")
    .innerJoin("project", "project.id", "run.project_id")
    .select(["run.id", "run.project_id"])
    .where("run.id", "in", ids)
    .where("project.organization_id", "=", organizationId);
}

function selectContent(kind: ContentKind, ids: readonly string[], organizationId: string) {
  return build
    .selectFrom("content")
    .innerJoin("content_collection", "content_collection.collection", "content.collection")
    .select(["content.id", "content_collection.project_id"])
    .where("content.organization_id", "=", organizationId)
    .where("content.kind", "=", kind)
    .where("content.id", "in", ids);
}
