import { isContentKind } from "../../../domain/kinds.ts";
import { atLine } from "../../../domain/records/line-error.ts";
import { findOwner, type RecordItem } from "../../../domain/records/record.ts";
import type { ImportOptions, ImportSummary, RecordImport } from "../../contract/records.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { type Connections, inside } from "../base/connections.ts";
import { inPart } from "../base/in-transaction.ts";
import { announceImport } from "../stores/action-runs.ts";
import { SqlHistoryStore } from "../stores/history.ts";
import { SqlReleaseItemStore } from "../stores/release-items.ts";
import { WriteUnit } from "../stores/write-unit.ts";
import { ContentImport, type ContentItem } from "./import-content.ts";
import { ImportCount } from "./import-count.ts";
import { DocumentImport, type DocumentItem } from "./import-documents.ts";
import { DraftImport, type DraftItem } from "./import-drafts.ts";
import { MissingReferences } from "./missing-references.ts";

/** Imports records; see {@link RecordImport}. */
export async function importRecords(
  connections: Connections,
  batches: Parameters<RecordImport["importRecords"]>[0],
  options: ImportOptions,
): Promise<ImportSummary> {
  const run = async (tx: Tx) => {
    const summary = await writeRecords(tx, connections, batches, options);
    if (options.isDryRun) throw new DryRun(summary);
    return summary;
  };
  try {
    // Excludes all others, and runs once: the records are read only once and determine their scopes.
    return await inPart(connections, "installation", run, 1);
  } catch (thrown) {
    if (thrown instanceof DryRun) return thrown.summary;
    throw thrown;
  }
}

/** Rolls the transaction of a dry run back. */
class DryRun extends Error {
  readonly summary: ImportSummary;

  constructor(summary: ImportSummary) {
    super("a dry run is rolled back");
    this.summary = summary;
  }
}

async function writeRecords(
  tx: Tx,
  connections: Connections,
  batches: Parameters<RecordImport["importRecords"]>[0],
  options: ImportOptions,
): Promise<ImportSummary> {
  const count = new ImportCount(options);
  const unit = new WriteUnit(tx, count);
  const items = new SqlReleaseItemStore(inside(connections, tx));
  const missing = new MissingReferences(tx, items, options.onMissing);
  const content = new ContentImport(unit, connections, count, { ...options, missing });
  const documents = new DocumentImport(unit, count, { ...options, missing });
  const { now = new Date() } = options.announcement ?? {};
  const drafts = new DraftImport(unit, { items, documents, missing, count, now });
  const keepsProject = options.isCopy === true && (await hasProject(tx, options.projectId));
  for await (const records of batches) {
    for (const run of toRuns(records)) {
      const [first] = run;
      if (keepsProject && first.kind === "project") continue;
      const owner = findOwner(first);
      const scope = owner && (await atLine(first.line, () => unit.open(owner)));
      if (first.releaseId !== undefined) {
        await drafts.write(run as readonly DraftItem[]);
      } else if (scope !== undefined && isContentKind(first.kind)) {
        await content.write(run as readonly ContentItem[], scope);
      } else {
        await documents.write(run as readonly DocumentItem[], scope);
      }
      await missing.settle();
    }
  }
  await drafts.end();
  await documents.end();
  await content.end();
  await missing.end();
  await unit.end();
  const projects = unit.listProjects();
  if (options.announcement !== undefined) {
    await announceImport(inside(connections, tx), projects, options.announcement);
    const history = new SqlHistoryStore(inside(connections, tx));
    for (const [id, revision] of projects) {
      await history.addGaps(id, { after: revision - 1, now: options.announcement.now });
    }
  }
  const { projectId } = options;
  if (projectId !== undefined) await unit.open({ kind: "project", id: projectId });
  return { ...count.summary(), projects };
}

async function hasProject(tx: Tx, id: string = ""): Promise<boolean> {
  const [row] = await tx.all(build.selectFrom("project").select("id").where("id", "=", id));
  return row !== undefined;
}

/** Maximum number of records of a run, few enough that garbage collection stays cheap. */
const MOST = 100;

type Run = [RecordItem, ...RecordItem[]];

/** Cuts records into runs of one owner: drafts of a release, content of any kind, or records of one other kind. */
function toRuns(records: readonly RecordItem[]): readonly Run[] {
  const runs: Run[] = [];
  let key = "";
  for (const record of records) {
    const owner = findOwner(record);
    const kind = isContentKind(record.kind) ? "content" : record.kind;
    const next = `${kind} ${owner?.kind} ${owner?.id} ${record.releaseId}`;
    const run = runs.at(-1);
    if (run !== undefined && next === key && run.length < MOST) run.push(record);
    else runs.push([record]);
    key = next;
  }
  return runs;
}
