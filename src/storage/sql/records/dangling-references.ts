import { sql } from "kysely";
import { REQUIRED_REFERENCES } from "../../../domain/kinds.ts";
import type { DanglingReference } from "../../contract/record-import.ts";
import type { Tx } from "../../db/db.ts";

/** Lists the references of written records to resources that their project lacks, by kind and id. */
export async function* listDanglingReferences(
  tx: Tx,
  projects: readonly (readonly [id: string, revision: number])[],
): AsyncGenerator<DanglingReference> {
  for (const [projectId, revision] of projects) {
    for (const [from, to] of REQUIRED_REFERENCES) {
      const rows = await tx.all(sql<{ readonly from_id: string; readonly to_id: string }>`
        select from_id, to_id from reference
        join ${sql.table(from)} as written
          on written.project_id = reference.project_id and written.id = from_id
        where reference.project_id = ${projectId} and from_type = ${from} and to_type = ${to}
          and written.revision = ${revision}
          and not exists (
            select 1 from ${sql.table(to)} as target
            where target.project_id = reference.project_id and target.id = to_id
          )
        order by from_id, to_id
      `);
      for (const row of rows) {
        yield { kind: from, id: row.from_id, to: { kind: to, id: row.to_id } };
      }
    }
  }
}
