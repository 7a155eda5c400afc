import type { Kysely, Transaction } from "kysely";
import type { ResourceName } from "../../domain/references.ts";
import { eraseBindingsOn } from "./binding-targets.ts";
import { eraseProjectContent } from "./content/stored-items.ts";
import { DOCUMENT_KINDS, type TableType } from "./document-kinds.ts";
import { isCounter, retireCounter } from "./revisions.ts";
import type { Schema } from "./schema.ts";

/** What cannot be without a resource: of which type it is, and its column with the resource's id. */
interface Part {
  readonly type: TableType;
  readonly column: string;
  /** True: it goes with the resource without a word. */
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
    { type: "binding", column: "organization_id", isSilent: true },
    { type: "role", column: "organization_id", isSilent: true },
    { type: "account", column: "organization_id" },
    { type: "project", column: "organization_id" },
  ],
  project: IN_PROJECT.map((type) => ({ type, column: "project_id" })),
  account: [
    { type: "access_token", column: "account_id" },
    { type: "binding", column: "account_id" },
  ],
  role: [{ type: "binding", column: "role_id" }],
  page: [{ type: "page_component", column: "page_id" }],
  video: [{ type: "annotation", column: "video_id" }],
};

/** Lists parts of a resource, those that it could not be deleted with. */
export async function listParts(
  read: Kysely<Schema>,
  type: string,
  id: string,
  limit: number,
): Promise<ResourceName[]> {
  const found: ResourceName[] = [];
  for (const part of PARTS[type] ?? []) {
    if (part.isSilent) continue;
    const rows = await selectParts(read, part, id)
      .limit(limit - found.length)
      .execute();
    found.push(...rows.map((row) => ({ type: part.type, id: row.id })));
    if (found.length >= limit) return found;
  }
  if (type === "project") found.push(...(await listContent(read, id, limit - found.length)));
  return found;
}

/** Deletes a document with its parts and theirs, with the bindings on them, and with what was looked up of them. */
export async function eraseDocument(
  tx: Transaction<Schema>,
  type: TableType,
  id: string,
): Promise<void> {
  for (const part of PARTS[type] ?? []) {
    for (const { id: partId } of await selectParts(tx, part, id).execute()) {
      await eraseDocument(tx, part.type, partId);
    }
  }
  if (isCounter(type)) await retireCounter(tx, type, id);
  await eraseBindingsOn(tx, type, [id]);
  if (type === "project") await eraseProject(tx, id);
  if (type === "transaction") await tx.deleteFrom("entitlement").where("id", "=", id).execute();
  await tx
    .deleteFrom("reference")
    .where("from_type", "=", type)
    .where("from_id", "=", id)
    .execute();
  const table = DOCUMENT_KINDS[type].table as "video";
  await tx.deleteFrom(table).where("id", "=", id).execute();
}

/** Deletes what a project has beside its documents. */
async function eraseProject(tx: Transaction<Schema>, projectId: string): Promise<void> {
  await eraseProjectContent(tx, projectId);
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

function selectParts(db: Kysely<Schema>, { type, column }: Part, id: string) {
  return db
    .selectFrom(DOCUMENT_KINDS[type].table as "video")
    .select("id")
    .where(column as "project_id", "=", id)
    .orderBy("id");
}

async function listContent(read: Kysely<Schema>, projectId: string, limit: number) {
  return await read
    .selectFrom("content_collection as shelf")
    .innerJoin("content", "content.collection", "shelf.collection")
    .select(["content.kind as type", "content.id"])
    .where("shelf.project_id", "=", projectId)
    .limit(Math.max(0, limit))
    .execute();
}
