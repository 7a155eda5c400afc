import type { Transaction } from "kysely";
import type { ResourceName } from "../../domain/messages/references.ts";
import { createBulkInsert } from "./bulk-insert.ts";
import type { Schema } from "./schema.ts";
import { createWrite } from "./statement.ts";

/** A resource of a project. References never leave the project. */
export interface ProjectResource extends ResourceName {
  readonly projectId: string;
}

/** Inserts the references of a document that has none yet. */
export async function addReferences(
  tx: Transaction<Schema>,
  from: ProjectResource,
  to: readonly ResourceName[],
): Promise<void> {
  if (to.length === 0) return;
  const rows = createBulkInsert(tx, "reference", [
    "project_id",
    "from_type",
    "from_id",
    "to_type",
    "to_id",
  ]);
  for (const { type, id } of to) rows.add(from.projectId, from.type, from.id, type, id);
  await rows.flush();
}

/** Deletes the references of a document. */
export const eraseReferences = createWrite((db, { projectId, type, id }: ProjectResource) =>
  db
    .deleteFrom("reference")
    .where("project_id", "=", projectId)
    .where("from_type", "=", type)
    .where("from_id", "=", id),
);
