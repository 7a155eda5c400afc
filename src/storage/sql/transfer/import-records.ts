import type { Tx } from "../../db/db.ts";

import type { ImportOptions, ImportSummary, RecordImport } from "../../record-import.ts";
import { announceImport } from "../action-runs.ts";
import { type Connections, inside } from "../connections.ts";
import { inImport, inReadTransaction } from "../in-transaction.ts";
import { createContentImport, createContentPlan } from "./content-import.ts";
import { createDocumentImport } from "./document-import.ts";
import { createImportCount } from "./import-count.ts";
import { createImportScopes } from "./import-scopes.ts";
import { createImportUsage } from "./import-usage.ts";
import { prepareRecords } from "./record-batches.ts";

/** Creates the import of records. */
export function createRecordImport(connections: Connections): RecordImport {
  return {
    importRecords(batches, options = {}) {
      const run = (tx: Tx) => importRecords(tx, connections, batches, options);
      if (options.isDryRun) return inReadTransaction(connections, run);
      return inImport(connections, run);
    },
  };
}

async function importRecords(
  tx: Tx,
  engine: Connections,
  batches: Parameters<RecordImport["importRecords"]>[0],
  options: ImportOptions,
): Promise<ImportSummary> {
  const scopes = createImportScopes(tx);
  const usage = createImportUsage(tx);
  const count = createImportCount(options.onRecord);
  const parts = { tx, scopes, usage, count };
  const content = options.isDryRun ? createContentPlan(parts) : createContentImport(parts, engine);
  const documents = createDocumentImport(parts, options);
  for await (const records of batches) {
    for (const batch of prepareRecords(records)) {
      if ("content" in batch) await content.take(batch.content);
      else await documents.take(batch.documents);
    }
  }
  await documents.end();
  await content.end();
  if (!options.isDryRun) await usage.end(tx);
  if (!options.isDryRun && options.announcement !== undefined) {
    const connections = inside(engine, tx);
    await announceImport(connections, scopes.listProjects(), options.announcement);
  }
  const { projectId } = options;
  if (projectId !== undefined) await scopes.find({ type: "project", id: projectId });
  return count.summary();
}
