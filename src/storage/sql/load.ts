import { Code, DomainError } from "../../domain/errors.ts";
import { type Dataset, toRecords } from "../dataset.ts";
import type { Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import { type Connections, inside } from "./connections.ts";
import { createRecordImport } from "./records/import-records.ts";

/** The placeholder secret of actions that get one later. */
const NO_SECRET = () => "";

/** Imports a dataset into an empty database, within the caller's transaction. */
export async function loadDataset(
  connections: Connections,
  tx: Tx,
  dataset: Dataset,
  createSecret: () => string = NO_SECRET,
): Promise<void> {
  const taken = await tx.first(build.selectFrom("organization").select("id").limit(1));
  if (taken !== undefined) {
    throw new DomainError(
      Code.FAILED_PRECONDITION,
      "DATABASE_NOT_EMPTY",
      "a dataset can be loaded only into an empty database",
    );
  }
  const { importRecords } = createRecordImport({
    ...inside(connections, tx),
    ...(connections.bulk && { bulk: connections.bulk }),
  });
  await importRecords([[...toRecords(dataset)]], {
    createSecret,
    onRecord({ kind, id }, outcome) {
      if (outcome === "created") return;
      throw new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", `${kind} ${id} occurs twice`);
    },
  });
}
