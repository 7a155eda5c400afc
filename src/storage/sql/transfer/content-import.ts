import { Code, DomainError } from "../../../domain/errors.ts";
import { toAmounts } from "../../../domain/kinds.ts";
import { atLine, blameLine } from "../../../domain/transfer/line-fault.ts";
import type { ContentBatch, PreparedItem } from "../../content-import.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { ImportOutcome } from "../../record-import.ts";
import type { Connections, SuspendedIndexes } from "../connections.ts";
import { ContentWriter } from "../content/write/content-writer.ts";
import { createFindStored, type StoredItem, toItemKey } from "../content/write/stored-items.ts";
import type { ImportCount } from "./import-count.ts";
import type { ImportScopes } from "./import-scopes.ts";
import type { Grow, ImportUsage } from "./import-usage.ts";
import { isSameJson } from "./same-json.ts";

/** The state shared by the parts of one import. */
export interface ImportParts {
  readonly tx: Tx;
  readonly scopes: ImportScopes;
  readonly usage: ImportUsage;
  readonly count: ImportCount;
}

/** Imports batches of one sort. */
export interface BatchImport<Batch> {
  take(batch: Batch): Promise<void>;
  /** Completes the batches taken so far. */
  end(): Promise<void>;
}

/** Creates the import of content. */
export function createContentImport(
  parts: ImportParts,
  { dialect, bulk }: Pick<Connections, "bulk" | "dialect">,
): BatchImport<ContentBatch> {
  const { tx, scopes, count } = parts;
  let writer: ContentWriter | undefined;
  const findStored = createFindStoredIn(tx, scopes, async () => writer?.flush());
  let suspended: SuspendedIndexes | undefined;

  async function begin() {
    suspended = (await isSmall(tx)) ? await bulk?.suspendIndexes(tx) : undefined;
    return new ContentWriter(tx, dialect, bulk?.insert);
  }

  return {
    async take(batch) {
      writer ??= await begin();
      for (const [from, to] of splitAtRepeats(batch.items)) {
        const items = batch.items.slice(from, to);
        const stored = await findStored(items);
        const revisions: (number | undefined)[] = [];
        const replaced: number[] = [];
        /** The project of the item before, which most items share, and its revision once it has moved. */
        let checked: string | undefined;
        let revision: number | undefined;
        let grow: Grow = () => {};
        for (const [index, item] of items.entries()) {
          const project = { type: "project", id: item.projectId } as const;
          if (item.projectId !== checked) {
            grow = await atLine(item.line, () => openProject(item, parts));
            [checked, revision] = [item.projectId, undefined];
          }
          const old = stored.get(item);
          const outcome = take(item, old, grow);
          count.add(item, outcome);
          if (outcome === "unchanged") continue;
          if (old !== undefined) replaced.push(old.item);
          revision ??= await scopes.move(project);
          revisions[from + index] = revision;
        }
        if (replaced.length > 0) {
          await suspended?.resumeItems();
          await suspended?.resume();
          suspended = undefined;
          await writer.erase(replaced);
        }
        await writer.write(batch, (index) => revisions[index]);
      }
    },

    async end() {
      const open = writer;
      if (open === undefined) return;
      const finish = async () => {
        await suspended?.resumeItems();
        await open.end();
        await suspended?.resume();
      };
      await (bulk?.sorting(tx, finish) ?? finish());
    },
  };
}

async function keyOf(item: PreparedItem, scopes: ImportScopes): Promise<string> {
  const organizationId = await scopes.organizationOf({ type: "project", id: item.projectId });
  return toItemKey(item, organizationId ?? "");
}

/** Creates a look-up of stored items by id, each in the organization of its project. */
function createFindStoredIn(db: Db, scopes: ImportScopes, flush?: () => Promise<void>) {
  const findStored = createFindStored(db, flush);
  return async (items: readonly PreparedItem[]) => {
    const found = new Map<PreparedItem, StoredItem>();
    const byProject = Map.groupBy(items, (it) => it.projectId);
    for (const [id, own] of byProject) {
      const organizationId = await scopes.organizationOf({ type: "project", id });
      if (organizationId === undefined) continue;
      const stored = await findStored(own, organizationId);
      if (stored.size === 0) continue;
      for (const item of own) {
        const old = stored.get(toItemKey(item, organizationId));
        if (old !== undefined) found.set(item, old);
      }
    }
    return found;
  };
}

/** With fewer items stored, indexes are suspended during an import, as rebuilding them is quick. */
export const FEW_ITEMS = 10_000;

async function isSmall(tx: Tx): Promise<boolean> {
  const rows = await tx.all(build.selectFrom("content").select("item").limit(FEW_ITEMS));
  return rows.length < FEW_ITEMS;
}

/** Creates the dry run of a content import, which tracks what would have been written. */
export function createContentPlan(parts: ImportParts): BatchImport<ContentBatch> {
  const { tx, scopes, count } = parts;
  const findStored = createFindStoredIn(tx, scopes);
  const planned = new Map<string, Pick<StoredItem, "project_id" | "doc">>();
  return {
    async take({ items }) {
      const stored = await findStored(items);
      for (const item of items) {
        const key = await keyOf(item, scopes);
        const old = planned.get(key) ?? stored.get(item);
        const grow = await atLine(item.line, () => openProject(item, parts));
        const outcome = take(item, old, grow);
        count.add(item, outcome);
        if (outcome !== "unchanged") {
          planned.set(key, { project_id: item.projectId, doc: item.doc });
        }
      }
    },
    async end() {},
  };
}

/** Opens the count of an item's project; NOT_FOUND if there is none. */
async function openProject(
  { projectId: id }: PreparedItem,
  { scopes, usage }: ImportParts,
): Promise<Grow> {
  const project = { type: "project", id } as const;
  return await usage.open(project, await scopes.find(project));
}

/** Decides the outcome of an item and counts its growth. */
function take(
  item: PreparedItem,
  old: Pick<StoredItem, "project_id" | "doc"> | undefined,
  grow: Grow,
): ImportOutcome {
  try {
    const outcome = decideOutcome(item, old);
    if (outcome !== "unchanged") {
      const bytes = Buffer.byteLength(item.doc) - Buffer.byteLength(old?.doc ?? "");
      grow(toAmounts(item.kind, old === undefined ? 1 : 0, bytes));
    }
    return outcome;
  } catch (fault) {
    throw blameLine(item.line, fault);
  }
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
      `${item.kind}.id: ${item.id} belongs to another project`,
    );
  }
  return isSameJson(old.doc, item.doc) ? "unchanged" : "updated";
}

/** Splits items before a repeated id, so that the second occurrence finds the first stored. */
function splitAtRepeats(items: readonly PreparedItem[]): (readonly [number, number])[] {
  if (new Set(items.map(({ id }) => id)).size === items.length) return [[0, items.length]];
  const parts: (readonly [number, number])[] = [];
  const seen = new Set<string>();
  let from = 0;
  for (const [index, item] of items.entries()) {
    const key = `${item.kind} ${item.id}`;
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
