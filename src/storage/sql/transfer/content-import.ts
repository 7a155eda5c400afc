import type { Transaction } from "kysely";
import { Code, DomainError } from "../../../domain/errors.ts";
import { atLine } from "../../../domain/transfer/line-fault.ts";
import type { ContentBatch, PreparedItem } from "../../content-import.ts";
import type { ImportOutcome } from "../../record-import.ts";
import type { Connections } from "../connections.ts";
import { type ContentWriter, createContentWriter } from "../content/write/content-writer.ts";
import {
  createFindStored,
  eraseItems,
  type StoredItem,
  toItemKey,
} from "../content/write/stored-items.ts";
import type { Schema } from "../schema.ts";
import type { ImportCount } from "./import-count.ts";
import type { ImportScopes } from "./import-scopes.ts";
import { isSameJson } from "./same-json.ts";

/** What the parts of one import share. */
export interface ImportParts {
  readonly tx: Transaction<Schema>;
  readonly scopes: ImportScopes;
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
  { tx, scopes, count }: ImportParts,
  { dialect, bulk }: Pick<Connections, "bulk" | "dialect">,
): BatchImport<ContentBatch> {
  const findStored = createFindStored(tx);
  let begun: { readonly writer: ContentWriter; resume?: () => Promise<void> } | undefined;

  async function begin() {
    const resume = (await isSmall(tx)) ? await bulk?.suspendIndexes(tx, "content") : undefined;
    return { writer: createContentWriter(tx, dialect), ...(resume && { resume }) };
  }

  return {
    async take(batch) {
      begun ??= await begin();
      for (const [from, to] of splitAtRepeats(batch.items)) {
        const items = batch.items.slice(from, to);
        const stored = await findStored(items);
        const revisions: (number | undefined)[] = [];
        const replaced: number[] = [];
        for (const [index, item] of items.entries()) {
          const project = { type: "project", id: item.projectId } as const;
          await atLine(item.line, () => scopes.check(project));
          const old = stored.get(toItemKey(item));
          const outcome = decideOutcome(item, old);
          count.add(item, outcome);
          if (outcome === "unchanged") continue;
          if (old !== undefined) replaced.push(old.item);
          revisions[from + index] = await scopes.move(project);
        }
        await eraseItems(tx, dialect, replaced);
        await begun.writer.write(batch, (index) => revisions[index]);
      }
    },

    async end() {
      if (begun === undefined) return;
      const { writer, resume } = begun;
      const finish = async () => {
        await resume?.();
        await writer.end();
      };
      await (bulk?.sorting(tx, finish) ?? finish());
    },
  };
}

/** With fewer rows stored, indexes are suspended during an import, as rebuilding them is quick. */
const FEW_ROWS = 10_000;

async function isSmall(tx: Transaction<Schema>): Promise<boolean> {
  const rows = await tx.selectFrom("content").select("item").limit(FEW_ROWS).execute();
  return rows.length < FEW_ROWS;
}

/** Creates the dry run of a content import, which remembers what would have been written. */
export function createContentPlan({ tx, scopes, count }: ImportParts): BatchImport<ContentBatch> {
  const findStored = createFindStored(tx);
  const planned = new Map<string, Pick<StoredItem, "project_id" | "doc">>();
  return {
    async take({ items }) {
      const stored = await findStored(items);
      for (const item of items) {
        await atLine(item.line, () => scopes.check({ type: "project", id: item.projectId }));
        const key = toItemKey(item);
        const outcome = decideOutcome(item, planned.get(key) ?? stored.get(key));
        count.add(item, outcome);
        if (outcome !== "unchanged") {
          planned.set(key, { project_id: item.projectId, doc: item.doc });
        }
      }
    },
    async end() {},
  };
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
  return isSameJson(old.doc, item.doc) ? "unchanged" : "updated";
}

/** Cuts items before a repeated ID, so that the second occurrence finds the first stored. */
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
