import { isDeepStrictEqual } from "node:util";
import { Code, DomainError } from "../../../domain/base/errors.ts";
import { fillTimes, stampTimes } from "../../../domain/base/stamp-times.ts";
import type { ContentKind } from "../../../domain/content/order.ts";
import { kindOf, toAmounts } from "../../../domain/kinds.ts";
import { findOwner, type RecordItem, recordIdOf } from "../../../domain/records/record.ts";
import {
  type Content,
  type PreparedItem,
  prepareItem,
  readContent,
} from "../../content/content-rows.ts";
import type { ImportOptions, ImportOutcome } from "../../contract/records.ts";
import { build } from "../../db/query.ts";
import type { BulkMode, Connections } from "../base/connections.ts";
import { toSizedGroups } from "../base/read-documents.ts";
import { ContentWriter } from "../content/write/content-writer.ts";
import { type ItemWrite, toItemWrite } from "../content/write/item-write.ts";
import {
  BYTES_AT_ONCE,
  findStoredItems,
  type ItemName,
  measureStoredItems,
  type StoredItem,
  toItemKey,
} from "../content/write/stored-items.ts";
import type { OpenHolder, WriteUnit } from "../stores/write-unit.ts";
import type { ImportCount } from "./import-count.ts";
import type { MissingReferences } from "./missing-references.ts";

/** Below this number of stored items, indexes are suspended during an import, because rebuilding them is quick. */
export const FEW_ITEMS = 10_000;

/** A record of content. */
export type ContentItem = RecordItem<ContentKind>;

/** Writes the content of an import. */
export class ContentImport {
  readonly #unit: WriteUnit;
  readonly #bulk: BulkMode | undefined;
  readonly #dialect: Connections["dialect"];
  readonly #count: ImportCount;
  readonly #resolve: ImportOptions["resolve"];
  readonly #missing: MissingReferences;
  /** The time of resources whose record has none; undefined: they stay without. */
  readonly #now: Date | undefined;
  #writer: ContentWriter | undefined;
  /** Creates the dropped indexes. */
  #resumeIndexes: (() => Promise<void>) | undefined;

  constructor(
    unit: WriteUnit,
    { bulk, dialect }: Pick<Connections, "bulk" | "dialect">,
    count: ImportCount,
    options: Pick<ImportOptions, "now" | "resolve"> & {
      readonly missing: MissingReferences;
    },
  ) {
    this.#unit = unit;
    this.#bulk = bulk;
    this.#dialect = dialect;
    this.#count = count;
    this.#resolve = options.resolve;
    this.#missing = options.missing;
    this.#now = options.now;
  }

  /** Writes records of one project. */
  async write(records: readonly ContentItem[], scope: OpenHolder): Promise<void> {
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
    await (this.#bulk?.sorting(this.#unit.tx, finish) ?? finish());
  }

  async #openWriter(): Promise<ContentWriter> {
    const writer = new ContentWriter(this.#unit.tx, this.#dialect);
    if (this.#bulk === undefined) return writer;
    const query = build.selectFrom("content").select("item").limit(FEW_ITEMS);
    if ((await this.#unit.tx.all(query)).length < FEW_ITEMS) {
      this.#resumeIndexes = await this.#bulk.suspendIndexes(this.#unit.tx);
    }
    return writer;
  }

  /** Writes records with distinct ids. */
  async #writePart(
    writer: ContentWriter,
    records: readonly ContentItem[],
    scope: OpenHolder,
  ): Promise<void> {
    const { organizationId } = scope;
    for (const group of await this.#toGroups(records, organizationId)) {
      const stored = await findStoredItems(this.#unit.tx, group.map(toItemName), organizationId);
      let changed: ItemWrite[] = [];
      let size = 0;
      for (const record of group) {
        const old = stored.get(toItemKey(toItemName(record), organizationId));
        const item = await this.#count.attempt(record.line, () =>
          this.#prepare(record, old, scope),
        );
        if (item === undefined) continue;
        changed.push(toItemWrite(item, old));
        size += item.doc.length + (old?.doc.length ?? 0);
        if (this.#resolve === undefined || size < BYTES_AT_ONCE) continue;
        await this.#writeItems(writer, changed, scope);
        changed = [];
        size = 0;
      }
      await this.#writeItems(writer, changed, scope);
    }
  }

  /** Cuts records into groups that are read together. */
  async #toGroups(
    records: readonly ContentItem[],
    organizationId: string,
  ): Promise<readonly (readonly ContentItem[])[]> {
    if (this.#resolve === undefined) return [records];
    const stored = await measureStoredItems(this.#unit.tx, records.map(toItemName), organizationId);
    const sizeOf = (it: ContentItem) =>
      stored.get(toItemKey(toItemName(it), organizationId))?.bytes;
    return toSizedGroups(records, (it) => sizeOf(it) ?? 0);
  }

  /** Returns the item to write for a record; undefined if it is stored already. */
  async #prepare(
    record: ContentItem,
    old: StoredItem | undefined,
    scope: OpenHolder,
  ): Promise<PreparedItem | undefined> {
    const resolved = await this.#resolveItem(record, old);
    const { kind, message } = resolved;
    const { schema } = kindOf(kind);
    const filled =
      this.#now && fillTimes(schema, message, old && readContent(kind, old.doc), this.#now);
    let item = prepareItem(resolved as Content);
    const outcome = decideOutcome(item, old);
    if (outcome === "updated" && this.#now && filled?.includes("update_time")) {
      stampTimes(schema, message, ["update_time"], this.#now);
      item = prepareItem(resolved as Content);
    }
    if (outcome !== "unchanged") {
      const bytes = Buffer.byteLength(item.doc) - Buffer.byteLength(old?.doc ?? "");
      this.#unit.grow(scope, toAmounts(item.kind, old === undefined ? 1 : 0, bytes));
      this.#missing.add(resolved, item.id, scope);
    }
    this.#count.add(item, outcome);
    return outcome === "unchanged" ? undefined : item;
  }

  /** Returns the record to write for a given one. */
  async #resolveItem(record: ContentItem, old: StoredItem | undefined): Promise<ContentItem> {
    const resolve = this.#resolve;
    if (resolve === undefined) return record;
    if (old === undefined) return resolve(record, undefined);
    checkProject(toItemName(record), findOwner(record)?.id ?? "", old);
    return resolve(record, { message: readContent(record.kind, old.doc) });
  }

  async #writeItems(
    writer: ContentWriter,
    changed: readonly ItemWrite[],
    scope: OpenHolder,
  ): Promise<void> {
    if (changed.length === 0) return;
    if (changed.some(({ replaced }) => replaced !== undefined)) {
      await this.#resumeIndexes?.();
      this.#resumeIndexes = undefined;
    }
    await writer.write(changed, await this.#unit.revisionOf(scope));
    // One statement for all of them would keep other requests waiting.
    if (this.#resolve !== undefined) await writer.end();
  }
}

function toItemName(record: ContentItem): ItemName {
  return { kind: record.kind, id: recordIdOf(record) };
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
