import { sql } from "kysely";
import { KIND_NAMES, kindOf, toAmounts } from "../../../domain/kinds.ts";
import { type Amounts, sumAmounts } from "../../../domain/quotas.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { Connections } from "../base/connections.ts";
import { deleteStep } from "../base/delete-some.ts";
import type { Dialect } from "../base/dialect.ts";
import { endStep, inTransaction } from "../base/in-transaction.ts";
import { nextRevision } from "../base/revisions.ts";
import { eraseSomeItems } from "../content/write/stored-items.ts";
import { eraseDocument, ROWS_OF_PROJECT } from "./cascade.ts";
import { isTableKind, type TableKind, tableOf } from "./document-kinds.ts";

/** The documents that one transaction deletes, each with its dependents: several statements a document. */
const DOCUMENTS_AT_ONCE = 50;

interface Project {
  readonly id: string;
  readonly organizationId: string;
}

/** Deletes some rows of a project. Returns what the project has less, apart from its documents; undefined: there were none. */
type Step = (tx: Tx, project: Project, dialect: Dialect) => Promise<Amounts | undefined>;

/**
 * Deletes what a project has but the project itself, in transactions of few rows each. Writes of others take turns with
 * these. A deletion that is interrupted leaves the rest.
 */
export async function emptyProject(connections: Connections, project: Project): Promise<void> {
  const { id, organizationId } = project;
  let rest = STEPS;
  while (rest.length > 0) {
    rest = await inTransaction(connections, { projectIds: [id] }, async (tx) => {
      for (const [index, step] of rest.entries()) {
        const growth = await step(tx, project, connections.dialect);
        if (growth === undefined) continue;
        await nextRevision(tx, id, organizationId, growth);
        return rest.slice(index);
      }
      return [];
    });
  }
}

/** Keys are first, so that the Delivery API ends at once, and dependents precede what they depend on. */
const STEPS: readonly Step[] = [
  toDocumentStep("project_key"),
  ...KIND_NAMES.filter((name) => isTableKind(name) && kindOf(name).in === "project")
    .toReversed()
    .map((name) => toDocumentStep(name as TableKind)),
  ...ROWS_OF_PROJECT.map(
    ({ table, key, kind }): Step =>
      async (tx, { id }) => {
        const erased = await deleteStep(tx, { table, key, condition: sql`project_id = ${id}` });
        if (erased === 0) return undefined;
        return kind === undefined ? {} : toAmounts(kind, -erased, 0);
      },
  ),
  eraseSomeContent,
];

function toDocumentStep(kind: TableKind): Step {
  return async (tx, { id: projectId, organizationId }, dialect) => {
    const rows = await tx.all(
      build
        .selectFrom(tableOf(kind))
        .select(["id", sql<number>`octet_length(doc)`.as("bytes")])
        .where(sql.ref("project_id"), "=", projectId)
        .limit(DOCUMENTS_AT_ONCE),
    );
    for (const { id, bytes } of rows) {
      await eraseDocument(tx, dialect, { kind, id, bytes, organizationId, projectId });
      await endStep(tx);
    }
    return rows.length > 0 ? {} : undefined;
  };
}

async function eraseSomeContent(
  tx: Tx,
  { id }: Project,
  dialect: Dialect,
): Promise<Amounts | undefined> {
  const erased = await eraseSomeItems(tx, dialect, id);
  if (erased.length === 0) return undefined;
  return sumAmounts(erased.map(({ kind, bytes }) => toAmounts(kind, -1, -bytes)));
}
