import type { ResourceName } from "../../../domain/references.ts";
import type { Tx } from "../../db/db.ts";
import { build, prepare, type SlotOf } from "../../db/query.ts";
import { BulkInsert } from "../base/bulk-insert.ts";

/** A resource of a project. References never leave the project. */
export interface ProjectResource extends ResourceName {
  readonly projectId: string;
}

/** Inserts the references of a document that has none yet. */
export async function addReferences(
  tx: Tx,
  from: ProjectResource,
  to: readonly ResourceName[],
): Promise<void> {
  if (to.length === 0) return;
  const rows = new BulkInsert(tx, "reference", [
    "project_id",
    "from_type",
    "from_id",
    "to_type",
    "to_id",
  ]);
  for (const { kind, id } of to) rows.add(from.projectId, from.kind, from.id, kind, id);
  await rows.flush();
}

/** Returns the statement that deletes the references of a document. */
export const eraseReferences = prepare((slot: SlotOf<ProjectResource>) =>
  build
    .deleteFrom("reference")
    .where("project_id", "=", slot("projectId"))
    .where("from_type", "=", slot("kind"))
    .where("from_id", "=", slot("id")),
);
