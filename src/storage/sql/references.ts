import type { Transaction } from "kysely";
import type { ResourceName } from "../../domain/references.ts";
import type { Schema } from "./schema.ts";

/** How many references one statement writes. */
const CHUNK = 1_000;

/** A resource of a project. What it refers to, and what refers to it, is of the same project. */
export interface ProjectResource extends ResourceName {
  readonly projectId: string;
}

/** Keeps the references of a document that has none yet. */
export async function addReferences(
  tx: Transaction<Schema>,
  from: ProjectResource,
  to: readonly ResourceName[],
): Promise<void> {
  const rows = to.map((it) => ({
    from_type: from.type,
    from_id: from.id,
    to_type: it.type,
    to_id: it.id,
    project_id: from.projectId,
  }));
  for (let at = 0; at < rows.length; at += CHUNK) {
    await tx
      .insertInto("reference")
      .values(rows.slice(at, at + CHUNK))
      .execute();
  }
}

/** Forgets what a document refers to. */
export async function eraseReferences(
  tx: Transaction<Schema>,
  { type, id, projectId }: ProjectResource,
): Promise<void> {
  await tx
    .deleteFrom("reference")
    .where("project_id", "=", projectId)
    .where("from_type", "=", type)
    .where("from_id", "=", id)
    .execute();
}
