import type { Kysely, Transaction } from "kysely";
import { Code, DomainError, notFound } from "../../../domain/errors.ts";
import type {
  ContentBatch,
  ContentImport,
  ImportOptions,
  ImportOutcome,
  ImportSummary,
  PreparedItem,
} from "../../content-import.ts";
import { nextRevision } from "../revisions.ts";
import type { Connections, Schema } from "../schema.ts";
import { createContentWriter } from "./content-writer.ts";
import { createFindStored, eraseItems, type StoredItem, toItemKey } from "./stored-items.ts";

type Batches = AsyncIterable<ContentBatch>;

/** Creates the import of content. */
export function createContentImport({ read, write, bulk }: Connections): ContentImport {
  return {
    importContent: (batches, options = {}) =>
      options.isDryRun
        ? read.transaction().execute((tx) => planContent(tx, batches, options))
        : write.transaction().execute((tx) => importContent(tx, bulk, batches, options)),
  };
}

async function importContent(
  tx: Transaction<Schema>,
  bulk: Connections["bulk"],
  batches: Batches,
  { projectId, onItem }: ImportOptions,
): Promise<ImportSummary> {
  const count = createCount(onItem);
  const findStored = createFindStored(tx);
  const projects = createProjects(tx);
  if (projectId !== undefined) await projects.check(projectId);
  const resume = (await isSmall(tx)) ? await bulk?.suspendIndexes(tx, "content") : undefined;
  const writer = await createContentWriter(tx);
  for await (const batch of batches) {
    for (const [from, to] of splitAtRepeats(batch.items)) {
      const items = batch.items.slice(from, to);
      const stored = await findStored(items);
      const revisions: (number | undefined)[] = [];
      const replaced: number[] = [];
      for (const [index, item] of items.entries()) {
        await projects.check(item.projectId, item.line);
        const old = stored.get(toItemKey(item));
        const outcome = decideOutcome(item, old);
        count.add(item, outcome);
        if (outcome === "unchanged") continue;
        if (old !== undefined) replaced.push(old.item);
        revisions[from + index] = await projects.move(item.projectId);
      }
      await eraseItems(tx, replaced);
      await writer.write(batch, (index) => revisions[index]);
    }
  }
  const finish = async () => {
    await resume?.();
    await writer.end();
  };
  await (bulk?.sorting(tx, finish) ?? finish());
  return count.summary();
}

/** So many rows can be indexed anew in a moment, whatever comes. */
const FEW_ROWS = 10_000;

async function isSmall(tx: Transaction<Schema>): Promise<boolean> {
  const rows = await tx.selectFrom("content").select("item").limit(FEW_ROWS).execute();
  return rows.length < FEW_ROWS;
}

/** Decides what an import would do, on a snapshot. What it would have written it keeps in mind. */
async function planContent(
  tx: Transaction<Schema>,
  batches: Batches,
  { projectId, onItem }: ImportOptions,
): Promise<ImportSummary> {
  const count = createCount(onItem);
  const findStored = createFindStored(tx);
  const projects = createProjects(tx);
  if (projectId !== undefined) await projects.check(projectId);
  const planned = new Map<string, Pick<StoredItem, "project_id" | "doc">>();
  for await (const { items } of batches) {
    const stored = await findStored(items);
    for (const item of items) {
      await projects.check(item.projectId, item.line);
      const key = toItemKey(item);
      const outcome = decideOutcome(item, planned.get(key) ?? stored.get(key));
      count.add(item, outcome);
      if (outcome !== "unchanged") {
        planned.set(key, { project_id: item.projectId, doc: item.doc });
      }
    }
  }
  return count.summary();
}

function decideOutcome(
  item: PreparedItem,
  old: Pick<StoredItem, "project_id" | "doc"> | undefined,
): ImportOutcome {
  if (old === undefined) return "created";
  if (old.project_id !== item.projectId) {
    throw new DomainError(
      Code.ALREADY_EXISTS,
      "ALREADY_EXISTS",
      `line ${item.line}: ${item.kind}.id: ${item.id} belongs to another project`,
    );
  }
  return old.doc === item.doc ? "unchanged" : "updated";
}

function createCount(onItem: ImportOptions["onItem"]) {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  return {
    add(item: PreparedItem, outcome: ImportOutcome) {
      counts[outcome] += 1;
      onItem?.(item, outcome);
    },
    summary: (): ImportSummary => counts,
  };
}

/** The projects that an import meets. */
function createProjects(db: Kysely<Schema>) {
  const known = new Set<string>();
  const moved = new Map<string, number>();
  return {
    /** NOT_FOUND for a project that does not exist. */
    async check(projectId: string, line?: number) {
      if (known.has(projectId)) return;
      const row = await db
        .selectFrom("project")
        .select("id")
        .where("id", "=", projectId)
        .executeTakeFirst();
      if (row === undefined) {
        const place = line === undefined ? "" : `line ${line}: `;
        throw notFound(`${place}project ${projectId}`);
      }
      known.add(projectId);
    },
    /** Gives the revision of the project's changes: one for all of them. */
    async move(projectId: string): Promise<number> {
      const own =
        moved.get(projectId) ?? (await nextRevision(db as Transaction<Schema>, projectId));
      moved.set(projectId, own);
      return own;
    },
  };
}

/** Cuts items where one comes again, so that the second finds the first in its place. */
function splitAtRepeats(items: readonly PreparedItem[]): (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = [];
  const seen = new Set<string>();
  let from = 0;
  for (const [index, item] of items.entries()) {
    const key = toItemKey(item);
    if (seen.has(key)) {
      parts.push([from, index]);
      from = index;
      seen.clear();
    }
    seen.add(key);
  }
  if (from < items.length) parts.push([from, items.length]);
  return parts;
}
