import type { Kysely, Transaction } from "kysely";
import type { ResourceRef } from "../../domain/access/permissions.ts";
import type { ResourceName } from "../../domain/messages/references.ts";
import { eraseProjectTurns } from "./action-turns.ts";
import { eraseBindingsOn } from "./binding-targets.ts";
import { eraseProjectContent } from "./content/write/stored-items.ts";
import { DOCUMENT_KINDS, type TableType } from "./document-kinds.ts";
import { eraseBoughtEntitlement } from "./entitlements.ts";
import { eraseReferences } from "./references.ts";
import { isCounter, retireCounter } from "./revisions.ts";
import type { Schema } from "./schema.ts";

/** What cannot be without a resource: of which type it is, and its column with the resource's id. */
interface Part {
  readonly type: TableType;
  readonly column: string;
  /**
   * The column with what both lie in: a part has it in common with the resource. Where a part lies in the
   * resource itself, that is its column with the resource's id.
   */
  readonly within: "organization_id" | "project_id" | "account_id";
  /** True: deleted silently with the resource. */
  readonly isSilent?: boolean;
}

const IN_PROJECT: readonly TableType[] = [
  "project_key",
  "video",
  "action",
  "annotation_type",
  "annotation",
  "banner_collection",
  "page_component",
  "page",
  "ruleset",
  "offer",
  "transaction",
];

/** The parts of each type, in the order in which they can be deleted. */
const PARTS: Readonly<Partial<Record<string, readonly Part[]>>> = {
  organization: [
    { type: "binding", ...lyingIn("organization_id"), isSilent: true },
    { type: "role", ...lyingIn("organization_id"), isSilent: true },
    { type: "account", ...lyingIn("organization_id") },
    { type: "project", ...lyingIn("organization_id") },
  ],
  project: IN_PROJECT.map((type) => ({ type, ...lyingIn("project_id") })),
  // An account may own organizations beside its own: it is their bindings' parent all the same.
  account: [
    { type: "access_token", ...lyingIn("account_id") },
    { type: "binding", ...lyingIn("account_id") },
  ],
  role: [{ type: "binding", column: "role_id", within: "organization_id" }],
  page: [{ type: "page_component", column: "page_id", within: "project_id" }],
  video: [{ type: "annotation", column: "video_id", within: "project_id" }],
};

function lyingIn<Column extends Part["within"]>(column: Column) {
  return { column, within: column };
}

/** Lists parts of a resource, those that it could not be deleted with. */
export async function listParts(
  read: Kysely<Schema>,
  resource: ResourceRef,
  limit: number,
): Promise<ResourceName[]> {
  const found: ResourceName[] = [];
  for (const part of PARTS[resource.type] ?? []) {
    if (part.isSilent) continue;
    const rows = await selectParts(read, part, resource)
      .limit(limit - found.length)
      .execute();
    found.push(...rows.map((row) => ({ type: part.type, id: row.id })));
    if (found.length >= limit) return found;
  }
  if (resource.type === "project") {
    found.push(...(await listContent(read, resource.id, limit - found.length)));
  }
  return found;
}

/** A document, and what it lies in. */
export interface StoredResource extends ResourceRef {
  readonly type: TableType;
}

/** Deletes a document with its parts and theirs, with the bindings on them, and with what was looked up of them. */
export async function eraseDocument(
  tx: Transaction<Schema>,
  document: StoredResource,
): Promise<void> {
  const { type, id, organizationId, projectId } = document;
  for (const part of PARTS[type] ?? []) {
    for (const { id: partId } of await selectParts(tx, part, document).execute()) {
      const partProject = part.type === "project" ? partId : projectId;
      await eraseDocument(tx, {
        ...{ type: part.type, id: partId, organizationId },
        ...(partProject !== undefined && { projectId: partProject }),
      });
    }
  }
  if (isCounter(type)) await retireCounter(tx, type, id);
  await eraseBindingsOn(tx, document);
  if (type === "project") await eraseProject(tx, id);
  if (projectId !== undefined) {
    if (type === "transaction") {
      await eraseBoughtEntitlement(tx, { id, projectId });
      await eraseBindingsOn(tx, { type: "entitlement", id, organizationId, projectId });
    }
    await eraseReferences(tx, { type, id, projectId });
  }
  const table = DOCUMENT_KINDS[type].table as "video";
  await tx.deleteFrom(table).where("id", "=", id).execute();
}

/** Deletes what a project has beside its documents. */
async function eraseProject(tx: Transaction<Schema>, projectId: string): Promise<void> {
  await eraseProjectContent(tx, projectId);
  await eraseProjectTurns(tx, projectId);
  for (const table of [
    "sign_in_integration",
    "billing_integration",
    "entitlement",
    "action_run",
    "reference",
  ] as const) {
    await tx.deleteFrom(table).where("project_id", "=", projectId).execute();
  }
}

function selectParts(
  db: Kysely<Schema>,
  { type, column, within }: Part,
  { id, organizationId, projectId }: ResourceRef,
) {
  const owner = { organization_id: organizationId, project_id: projectId, account_id: id }[within];
  if (owner === undefined) throw new Error(`${type} is a part of what is of no project`);
  return db
    .selectFrom(DOCUMENT_KINDS[type].table as "video")
    .select("id")
    .where(column as "project_id", "=", id)
    .where(within as "project_id", "=", owner)
    .orderBy("id");
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
