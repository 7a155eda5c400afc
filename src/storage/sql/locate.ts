import type { Kysely } from "kysely";
import { INSTALLATION, type ResourceRef } from "../../domain/access/permissions.ts";
import { type ContentKind, isContentKind } from "../../domain/content/order.ts";
import { notFound } from "../../domain/errors.ts";
import { isKindName, KINDS, type KindName } from "../../domain/kinds.ts";
import { tableOf } from "./document-kinds.ts";
import type { Schema } from "./schema.ts";

/** Finds the parents of resources of one kind, in no promised order. */
export async function locateResources(
  db: Kysely<Schema>,
  type: string,
  ids: readonly string[],
): Promise<ResourceRef[]> {
  if (ids.length === 0) return [];
  if (type === INSTALLATION.type) return [INSTALLATION];
  if (!isKindName(type)) return [];
  if (isContentKind(type)) return locateContent(db, type, ids);
  const { in: owner, keep } = KINDS[type];
  // An integration has the ID of its project.
  if (keep === "integration") return [];
  switch (owner) {
    case "installation":
    case "organization":
      return locateInOrganization(db, type, ids);
    case "account":
      return locateAccessTokens(db, ids);
    case "project":
      return locateInProject(db, type, ids);
    default:
      return owner satisfies never;
  }
}

/** Finds the parents of a resource; NOT_FOUND if it does not exist. */
export async function locateResource<Type extends string>(
  db: Kysely<Schema>,
  type: Type,
  id: string,
): Promise<ResourceRef & { readonly type: Type }> {
  const [found] = await locateResources(db, type, [id]);
  if (found === undefined) throw notFound(`${type} ${id}`);
  return { ...found, type };
}

async function locateInOrganization(
  db: Kysely<Schema>,
  type: KindName,
  ids: readonly string[],
): Promise<ResourceRef[]> {
  if (type === "organization") {
    const rows = await db.selectFrom(type).select("id").where("id", "in", ids).execute();
    return rows.map(({ id }) => ({ type, id, organizationId: id }));
  }
  // The tables share these columns; naming one table provides their types.
  const rows = await db
    .selectFrom(tableOf(type) as "project")
    .select(["id", "organization_id"])
    .where("id", "in", ids)
    .execute();
  return rows.map(({ id, organization_id }) => ({
    type,
    id,
    organizationId: organization_id,
    ...(type === "project" && { projectId: id }),
  }));
}

async function locateAccessTokens(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<ResourceRef[]> {
  const rows = await db
    .selectFrom("access_token")
    .innerJoin("account", "account.id", "access_token.account_id")
    .select(["access_token.id", "account.organization_id"])
    .where("access_token.id", "in", ids)
    .execute();
  return rows.map((row) => ({
    type: "access_token",
    id: row.id,
    organizationId: row.organization_id,
  }));
}

async function locateInProject(
  db: Kysely<Schema>,
  type: KindName,
  ids: readonly string[],
): Promise<ResourceRef[]> {
  const table = tableOf(type) as "annotation";
  const rows = await db
    .selectFrom(`${table} as resource`)
    .innerJoin("project", "project.id", "resource.project_id")
    .select(["resource.id", "resource.project_id", "project.organization_id"])
    .where("resource.id", "in", ids)
    .execute();
  return rows.map((row) => toRef(type, row));
}

async function locateContent(
  db: Kysely<Schema>,
  kind: ContentKind,
  ids: readonly string[],
): Promise<ResourceRef[]> {
  const rows = await db
    .selectFrom("content")
    .innerJoin("content_collection", "content_collection.collection", "content.collection")
    .innerJoin("project", "project.id", "content_collection.project_id")
    .select(["content.id", "content_collection.project_id", "project.organization_id"])
    .where("content.kind", "=", kind)
    .where("content.id", "in", ids)
    .execute();
  return rows.map((row) => toRef(kind, row));
}

function toRef(
  type: string,
  row: { readonly id: string; readonly project_id: string; readonly organization_id: string },
): ResourceRef {
  return { type, id: row.id, organizationId: row.organization_id, projectId: row.project_id };
}
