import { type Kysely, sql, type Transaction } from "kysely";
import type { ResourceRef } from "../../domain/access/permissions.ts";
import { KIND_NAMES, type KindName, kindOf } from "../../domain/kinds.ts";
import type { ResourceName } from "../../domain/messages/references.ts";
import { type Amounts, sumAmounts, toAmounts } from "../../domain/quotas.ts";
import { eraseProjectTurns } from "./action-turns.ts";
import { eraseBindingsOn } from "./binding-targets.ts";
import { eraseProjectContent } from "./content/write/stored-items.ts";
import type { Dialect } from "./dialect.ts";
import { isTableType, type TableType, tableOf } from "./document-kinds.ts";
import { eraseBoughtEntitlement } from "./entitlements.ts";
import { eraseReferences } from "./references.ts";
import { isCounter, retireCounter } from "./revisions.ts";
import type { Schema } from "./schema.ts";
import { addUsage } from "./usage.ts";

/** A kind of documents that depends on a resource of another kind. */
interface Dependent {
  readonly type: TableType;
  /** True if it is part of the resource, false if it refers to it. */
  readonly isInside: boolean;
  /** False: deleted silently with the resource. */
  readonly blocksDeletion: boolean;
}

const DEPENDENTS: ReadonlyMap<string, readonly Dependent[]> = new Map(
  KIND_NAMES.map((name) => [name, KIND_NAMES.flatMap((type) => toDependent(type, name))]),
);

function toDependent(type: KindName, of: KindName): Dependent[] {
  if (!isTableType(type)) return [];
  const { in: owner, needs, blocksDeletion } = kindOf(type);
  if (owner === of) return [{ type, isInside: true, blocksDeletion }];
  return needs.some((it) => it === of) ? [{ type, isInside: false, blocksDeletion: true }] : [];
}

/** The kinds without documents that are deleted with their project. */
const ROWS_OF_PROJECT = KIND_NAMES.filter((name) => {
  const { in: owner, keep } = kindOf(name);
  return owner === "project" && (keep === "integration" || keep === "other");
});

/** Lists the dependents of a resource, which prevent its deletion without `force`. */
export async function listDependents(
  read: Kysely<Schema>,
  resource: ResourceRef,
  limit: number,
): Promise<ResourceName[]> {
  const found: ResourceName[] = [];
  for (const dependent of DEPENDENTS.get(resource.type) ?? []) {
    if (!dependent.blocksDeletion) continue;
    const rows = await selectDependents(read, dependent, resource)
      .limit(limit - found.length)
      .execute();
    found.push(...rows.map(({ id }) => ({ type: dependent.type, id })));
    if (found.length >= limit) return found;
  }
  if (resource.type === "project") {
    found.push(...(await listContent(read, resource.id, limit - found.length)));
  }
  return found;
}

/** A document and its parent. */
export interface StoredResource extends ResourceRef {
  readonly type: TableType;
}

/** Deletes a document with its dependents, their bindings and their index entries, and discounts them. */
export async function eraseDocument(
  tx: Transaction<Schema>,
  dialect: Dialect,
  document: StoredResource,
): Promise<void> {
  const { type, organizationId, projectId } = document;
  const freed = await erase(tx, dialect, document);
  await addUsage(tx, { type: "organization", id: organizationId }, freed);
  if (projectId !== undefined && type !== "project") {
    await addUsage(tx, { type: "project", id: projectId }, freed);
  }
}

/** Deletes a document with its dependents and returns what that adds to usage: negative amounts. */
async function erase(
  tx: Transaction<Schema>,
  dialect: Dialect,
  document: StoredResource,
): Promise<Amounts> {
  const { type, id, organizationId, projectId } = document;
  const freed: Amounts[] = [];
  for (const dependent of DEPENDENTS.get(type) ?? []) {
    const rows = await selectDependents(tx, dependent, document).execute();
    for (const { id: ownId, organization_id } of rows) {
      const ownProject = dependent.type === "project" ? ownId : projectId;
      const amounts = await erase(tx, dialect, {
        ...{ type: dependent.type, id: ownId, organizationId: organization_id },
        ...(ownProject !== undefined && { projectId: ownProject }),
      });
      freed.push(amounts);
    }
  }
  if (isCounter(type)) await retireCounter(tx, type, id);
  await eraseBindingsOn(tx, document);
  if (type === "project") await eraseProject(tx, dialect, id);
  if (projectId !== undefined) {
    if (type === "transaction") {
      await eraseBoughtEntitlement(tx, id, organizationId);
      await eraseBindingsOn(tx, { type: "entitlement", id, organizationId, projectId });
    }
    await eraseReferences(tx, { type, id, projectId });
  }
  const deleted = await tx
    .deleteFrom(tableOf(type) as "video")
    .where(type === "organization" ? "id" : "organization_id", "=", organizationId)
    .where("id", "=", id)
    .returning(sql<number>`octet_length(doc)`.as("bytes"))
    .execute();
  for (const { bytes } of deleted) freed.push(toAmounts(type, -1, -bytes));
  return sumAmounts(freed);
}

/** Deletes the data of a project other than documents. */
async function eraseProject(
  tx: Transaction<Schema>,
  dialect: Dialect,
  projectId: string,
): Promise<void> {
  await eraseProjectContent(tx, dialect, projectId);
  await eraseProjectTurns(tx, projectId);
  for (const table of [...ROWS_OF_PROJECT.map(tableOf), "reference"]) {
    await tx
      .deleteFrom(table as "reference")
      .where("project_id", "=", projectId)
      .execute();
  }
}

function selectDependents(
  db: Kysely<Schema>,
  { type, isInside }: Dependent,
  resource: ResourceRef,
) {
  // The tables share these columns; naming one table provides their types.
  const select = db
    .selectFrom(tableOf(type) as "video")
    .select(["id", "organization_id"])
    .where(`${resource.type}_id` as "project_id", "=", resource.id)
    .orderBy("id");
  const { organizationId, projectId } = resource;
  if (type === "binding" && resource.type === "account") {
    // An account may also have bindings in other organizations.
    return select.where("account_organization_id" as "organization_id", "=", organizationId);
  }
  const own = select.where("organization_id", "=", organizationId);
  if (isInside || kindOf(type).in !== "project") return own;
  if (projectId === undefined) throw new Error(`${resource.type} ${resource.id} has no project`);
  return own.where("project_id", "=", projectId);
}

async function listContent(read: Kysely<Schema>, projectId: string, limit: number) {
  return await read
    .selectFrom("content_collection")
    .innerJoin("content", "content.collection", "content_collection.collection")
    .select(["content.kind as type", "content.id"])
    .where("content_collection.project_id", "=", projectId)
    .limit(Math.max(0, limit))
    .execute();
}
