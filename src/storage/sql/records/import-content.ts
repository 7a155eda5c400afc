import { isDeepStrictEqual } from "node:util";
import type { ContentKind } from "../../../domain/content/order.ts";
import { Code, DomainError } from "../../../domain/errors.ts";
import { toAmounts } from "../../../domain/kinds.ts";
import { blameLine } from "../../../domain/records/line-error.ts";
import { type RecordItem, recordIdOf } from "../../../domain/records/record.ts";
import type { PreparedItem } from "../../content-import.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { ImportOutcome } from "../../record-import.ts";
import type { BulkMode, Connections } from "../connections.ts";
import { type Content, toContentBatch } from "../content/write/content-rows.ts";
import { ContentWriter } from "../content/write/content-writer.ts";
import { type StoredItem, StoredItems, toItemKey } from "../content/write/stored-items.ts";
import type { ImportCount } from "./import-count.ts";
import type { ImportScope, ImportScopes } from "./import-scopes.ts";

/** Below this number of stored items, indexes are suspended during an import, because rebuilding them is quick. */
export const FEW_ITEMS = 10_000;

/** A record of content. */
export type ContentItem = RecordItem<ContentKind>;

/** Writes the content of an import. */
export class ContentImport {
  readonly #tx: Tx;
  readonly #bulk: BulkMode | undefined;
  readonly #dialect: Connections["dialect"];
  readonly #scopes: ImportScopes;
  readonly #count: ImportCount;
  readonly #storedItems: StoredItems;
  #writer: ContentWriter | undefined;
  /** Creates the dropped indexes. */
  #resumeIndexes: (() => Promise<void>) | undefined;

  constructor(
    tx: Tx,
    { bulk, dialect }: Pick<Connections, "bulk" | "dialect">,
    scopes: ImportScopes,
    count: ImportCount,
  ) {
    this.#tx = tx;
    this.#bulk = bulk;
    this.#dialect = dialect;
    this.#scopes = scopes;
    this.#count = count;
    this.#storedItems = new StoredItems(tx, async () => this.#writer?.flush());
  }

  /** Writes records of one project. */
  async write(records: readonly ContentItem[], scope: ImportScope): Promise<void> {
    this.#writer ??= await this.#openWriter();
    for (const part of splitAtRepeats(records)) await this.#writePart(this.#writer, part, scope);
  }

  /** Completes the index entries of everything written. */
  async end(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    const finish = async () => {
      await writer.end();
      await this.#resumeIndexes?.();
    };
    await (this.#bulk?.sorting(this.#tx, finish) ?? finish());
  }

  async #openWriter(): Promise<ContentWriter> {
    const query = build.selectFrom("content").select("item").limit(FEW_ITEMS);
    if ((await this.#tx.all(query)).length < FEW_ITEMS) {
      this.#resumeIndexes = await this.#bulk?.suspendIndexes(this.#tx);
    }
    return new ContentWriter(this.#tx, this.#dialect);
  }

  /** Writes records with distinct ids. */
  async #writePart(
    writer: ContentWriter,
    records: readonly ContentItem[],
    scope: ImportScope,
  ): Promise<void> {
    const batch = toContentBatch(records as readonly Content[]);
    const stored = await this.#storedItems.find(batch.items, scope.organizationId);
    const changed = new Set<number>();
    const replaced: number[] = [];
    for (const [index, item] of batch.items.entries()) {
      const old = stored.get(toItemKey(item, scope.organizationId));
      const outcome = countItem(item, old, scope);
      this.#count.add(item, outcome);
      if (outcome === "unchanged") continue;
      changed.add(index);
      if (old !== undefined) replaced.push(old.item);
    }
    if (changed.size === 0) return;
    if (replaced.length > 0) {
      await this.#resumeIndexes?.();
      this.#resumeIndexes = undefined;
      await writer.erase(replaced);
    }
    const revision = await this.#scopes.revisionOf(scope);
    await writer.write(batch, (index) => (changed.has(index) ? revision : undefined));
  }
}

/** Decides the outcome of an item and counts its growth. */
function countItem(
  item: PreparedItem,
  old: StoredItem | undefined,
  scope: ImportScope,
): ImportOutcome {
  try {
    const outcome = decideOutcome(item, old);
    if (outcome !== "unchanged") {
      const bytes = Buffer.byteLength(item.doc) - Buffer.byteLength(old?.doc ?? "");
      scope.grow(toAmounts(item.kind, old === undefined ? 1 : 0, bytes));
    }
    return outcome;
  } catch (error) {
    throw blameLine(item.line, error);
  }
}

function decideOutcome(item: PreparedItem, old: StoredItem | undefined): ImportOutcome {
  if (old === undefined) return "created";
  if (old.project_id !== item.projectId) {
    const message = `${item.kind}.id: ${item.id} belongs to another project`;
    throw new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", message);
  }
  return isSameJson(old.doc, item.doc) ? "unchanged" : "updated";
}

/** Decides whether two JSON texts are equal, ignoring the order of keys. */
function isSameJson(a: string, b: string): boolean {
  if (a === b) return true;
  // Equal members have equal lengths in any order.
  return a.length === b.length && isDeepStrictEqual(JSON.parse(a), JSON.parse(b));
}

/** Splits records before a repeated id, so that the second occurrence finds the first one stored. */
function splitAtRepeats(records: readonly ContentItem[]): ContentItem[][] {
  const parts: ContentItem[][] = [[]];
  const seen = new Set<string>();
  for (const record of records) {
    const key = `${record.kind} ${recordIdOf(record)}`;
    if (seen.has(key)) {
      parts.push([]);
      seen.clear();
    }
    seen.add(key);
    parts.at(-1)?.push(record);
  }
  return parts;
}
