import { isDeepStrictEqual } from "node:util";
import { type DescMessage, fromJsonString } from "@bufbuild/protobuf";
import type { ContentKind } from "../../../domain/content/order.ts";
import { CHECKED_DEPTH } from "../../../domain/descriptors.ts";
import { Code, DomainError } from "../../../domain/errors.ts";
import { toAmounts } from "../../../domain/kinds.ts";
import { blameLine } from "../../../domain/records/line-error.ts";
import { findOwner, type RecordItem, recordIdOf } from "../../../domain/records/record.ts";
import type { PreparedItem } from "../../content-import.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { ImportOptions, ImportOutcome } from "../../record-import.ts";
import type { BulkMode, Connections } from "../connections.ts";
import { CONTENT_SCHEMAS, type Content, toContentBatch } from "../content/write/content-rows.ts";
import { ContentWriter } from "../content/write/content-writer.ts";
import {
  type ItemName,
  type StoredItem,
  StoredItems,
  toItemKey,
} from "../content/write/stored-items.ts";
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
  readonly #resolve: ImportOptions["resolve"];
  readonly #storedItems: StoredItems;
  #writer: ContentWriter | undefined;
  /** Creates the dropped indexes. */
  #resumeIndexes: (() => Promise<void>) | undefined;

  constructor(
    tx: Tx,
    { bulk, dialect }: Pick<Connections, "bulk" | "dialect">,
    scopes: ImportScopes,
    count: ImportCount,
    { resolve }: Pick<ImportOptions, "resolve">,
  ) {
    this.#tx = tx;
    this.#bulk = bulk;
    this.#dialect = dialect;
    this.#scopes = scopes;
    this.#count = count;
    this.#resolve = resolve;
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
    const writer = new ContentWriter(this.#tx, this.#dialect);
    if (this.#bulk === undefined) return writer;
    const query = build.selectFrom("content").select("item").limit(FEW_ITEMS);
    if ((await this.#tx.all(query)).length < FEW_ITEMS) {
      this.#resumeIndexes = await this.#bulk.suspendIndexes(this.#tx);
    }
    return writer;
  }

  /** Writes records with distinct ids. */
  async #writePart(
    writer: ContentWriter,
    records: readonly ContentItem[],
    scope: ImportScope,
  ): Promise<void> {
    const { organizationId } = scope;
    const stored = await this.#storedItems.find(records.map(toItemName), organizationId);
    const findStored = (name: ItemName) => stored.get(toItemKey(name, organizationId));
    const resolved: readonly ContentItem[] = records.map((it) =>
      this.#resolveItem(it, findStored(toItemName(it))),
    );
    const batch = toContentBatch(resolved as readonly Content[]);
    const changed = new Set<number>();
    const replaced: number[] = [];
    for (const [index, item] of batch.items.entries()) {
      const old = findStored(item);
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

  /** Returns the record to write for a given one. */
  #resolveItem(record: ContentItem, old: StoredItem | undefined): ContentItem {
    const resolve = this.#resolve;
    if (resolve === undefined) return record;
    try {
      if (old === undefined) return resolve(record, undefined);
      checkProject(toItemName(record), findOwner(record)?.id ?? "", old);
      const schema: DescMessage = CONTENT_SCHEMAS[record.kind];
      return resolve(record, { message: fromJsonString(schema, old.doc, CHECKED_DEPTH) });
    } catch (error) {
      throw blameLine(record.line, error);
    }
  }
}

function toItemName(record: ContentItem): ItemName {
  return { kind: record.kind, id: recordIdOf(record) };
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
  checkProject(item, item.projectId, old);
  return isSameJson(old.doc, item.doc) ? "unchanged" : "updated";
}

/** Rejects an id that an item of another project has. */
function checkProject({ kind, id }: ItemName, projectId: string, old: StoredItem): void {
  if (old.project_id === projectId) return;
  const message = `${kind}.id: ${id} belongs to another project`;
  throw new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", message);
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
