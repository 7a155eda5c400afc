import { type Kysely, sql } from "kysely";
import { TransactionSchema } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { RecordSchema } from "../../gen/svc/transfer/v1/record_pb.ts";
import type { Schema } from "../../gen/tables.ts";
import { readField } from "../../src/domain/base/descriptors.ts";
import type { ContentKind } from "../../src/domain/content/order.ts";
import { KIND_NAMES, kindOf, listReferencesOf, toAmounts } from "../../src/domain/kinds.ts";
import { decideAccess } from "../../src/domain/monetization/entitlement.ts";
import { type Amounts, sumAmounts } from "../../src/domain/quotas.ts";
import { openRecord } from "../../src/domain/records/record.ts";
import { type Content, prepareItem, readContent } from "../../src/storage/content/content-rows.ts";
import { isIndexed, VALUE_LENGTH } from "../../src/storage/content/indexed-fields.ts";
import { timeColumn, UNSET_TIME } from "../../src/storage/db/times.ts";
import type { DatabaseLocation } from "../../src/storage/open.ts";
import { readDocument } from "../../src/storage/sql/base/stored-document.ts";
import {
  type Document,
  documentKindOf,
  isTableKind,
  type TableKind,
  tableOf,
} from "../../src/storage/sql/stores/document-kinds.ts";
import { toEntitlement } from "../../src/storage/sql/stores/entitlements.ts";
import { openDatabase } from "./database.ts";

/**
 * Lists what a database stores besides its documents and should not, with `-` what is stored and with `+` what should be:
 * columns, index entries, references, counts, sizes, totals, orders and turns.
 */
export async function listUnderived(address: DatabaseLocation): Promise<readonly string[]> {
  const db = openDatabase(address);
  try {
    const facts = new Facts();
    const usage = new Map<string, Amounts>();
    await compareDocuments(db, facts, usage);
    await compareContent(db, facts, usage);
    await compareEntitlements(db, facts, usage);
    await compareUsage(db, facts, usage);
    await compareSizes(db, facts);
    await compareOrders(db, facts);
    await compareTurns(db, facts);
    return facts.listDifferences();
  } finally {
    await db.destroy();
  }
}

/** What is stored, and what should be. */
class Facts {
  readonly #stored = new Set<string>();
  readonly #derived = new Set<string>();

  store(...values: readonly unknown[]): void {
    this.#stored.add(toLine(values));
  }

  derive(...values: readonly unknown[]): void {
    this.#derived.add(toLine(values));
  }

  listDifferences(): readonly string[] {
    return [
      ...[...this.#stored].filter((it) => !this.#derived.has(it)).map((it) => `- ${it}`),
      ...[...this.#derived].filter((it) => !this.#stored.has(it)).map((it) => `+ ${it}`),
    ];
  }
}

/** Numbers what is added under each name, from 0. */
class Ranks {
  readonly #counts = new Map<string, number>();

  next(name: string): number {
    const rank = this.#counts.get(name) ?? 0;
    this.#counts.set(name, rank + 1);
    return rank;
  }
}

function toLine(values: readonly unknown[]): string {
  const line = JSON.stringify(values, (_, it) => (typeof it === "bigint" ? String(it) : it));
  // No text in PostgreSQL contains U+0000: it is replaced.
  return line.replaceAll("\\u0000", "\\u0001\\u0003");
}

function addUsage(usage: Map<string, Amounts>, holder: string, amounts: Amounts): void {
  usage.set(holder, sumAmounts([usage.get(holder) ?? {}, amounts]));
}

/** The table of a kind, of which the columns are not known to the compiler. */
function selectAll(db: Kysely<Schema>, kind: TableKind) {
  return sql<Readonly<Record<string, unknown>> & { readonly doc: Uint8Array; readonly id: string }>`
    select * from ${sql.table(tableOf(kind))}`.execute(db);
}

/** Compares columns and references with documents. */
async function compareDocuments(
  db: Kysely<Schema>,
  facts: Facts,
  usage: Map<string, Amounts>,
): Promise<void> {
  for (const kind of KIND_NAMES.filter(isTableKind)) {
    const { schema, columns, ownerOf, referencesOf } = kindOf(kind);
    for (const { doc, ...row } of (await selectAll(db, kind)).rows) {
      const value: Document = readDocument(schema, doc);
      const owner = ownerOf(value);
      const own = schema.fields.filter(({ name }) => columns.includes(name));
      const derived: Readonly<Record<string, unknown>> = {
        ...(owner && { [`${owner.kind}_id`]: owner.id }),
        create_time: timeColumn(value.createTime),
        update_time: timeColumn(value.updateTime),
        ...Object.fromEntries(own.map((field) => [field.name, readField(value, field)])),
        ...documentKindOf(kind).columnsOf?.(value),
      };
      for (const [name, column] of Object.entries(derived)) {
        facts.store(kind, row.id, name, toNumber(row[name]));
        facts.derive(kind, row.id, name, toNumber(column));
      }
      if (owner !== undefined) {
        addUsage(usage, `${owner.kind} ${owner.id}`, toAmounts(kind, 1, doc.length));
      }
      if (owner?.kind !== "project") continue;
      for (const to of referencesOf(value)) {
        facts.derive("reference", owner.id, kind, row.id, to.kind, to.id);
      }
    }
  }
  for (const row of await db.selectFrom("reference").selectAll().execute()) {
    const { project_id, from_type, from_id, to_type, to_id } = row;
    facts.store("reference", project_id, from_type, from_id, to_type, to_id);
  }
}

/** 64-bit columns are numbers in one engine and texts in the other. */
function toNumber(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

/** Compares the index entries of content with its documents. */
async function compareContent(
  db: Kysely<Schema>,
  facts: Facts,
  usage: Map<string, Amounts>,
): Promise<void> {
  const collections = new Map(
    (await db.selectFrom("content_collection").selectAll().execute()).map((it) => [
      it.collection,
      it,
    ]),
  );
  const paths = new Map(
    (await db.selectFrom("content_path").selectAll().execute()).map((it) => [it.path, it]),
  );
  const items = new Map<number, string>();
  for (const row of await db.selectFrom("content").selectAll().execute()) {
    const collection = collections.get(row.collection);
    const message = readContent(row.kind as ContentKind, row.doc);
    const item = prepareItem({ kind: row.kind, message, line: 0 } as Content);
    const key = `${row.kind} ${row.organization_id} ${row.id}`;
    items.set(row.item, key);
    const { open_from, open_until, sort_time, visibility } = row;
    facts.store(key, collection?.project_id, collection?.kind, visibility, sort_time);
    facts.derive(key, message.projectId, row.kind, item.visibility, item.sortTime);
    facts.store(key, row.create_time, row.update_time, open_from, open_until, row.doc);
    facts.derive(key, item.createTime, item.updateTime, item.openFrom, item.openUntil, item.doc);
    facts.store(key, "sizes", true, true);
    facts.derive(
      ...[key, "sizes"],
      item.leaves.length <= (collection?.most_values ?? 0),
      row.doc.length <= (collection?.most_characters ?? 0),
    );
    const places = new Ranks();
    for (const { path, key: value, text } of item.leaves) {
      facts.derive("leaf", row.collection, path, key, places.next(path), value, text);
      if (!isIndexed(path)) continue;
      const start = [...value].slice(0, VALUE_LENGTH).join("");
      facts.derive(
        "value",
        row.collection,
        path,
        key,
        visibility,
        start,
        sort_time,
        open_from,
        open_until,
      );
    }
    for (const word of item.words) facts.derive("word", row.collection, key, word, visibility);
    const bytes = Buffer.byteLength(row.doc);
    addUsage(usage, `project ${message.projectId}`, toAmounts(row.kind as ContentKind, 1, bytes));
  }
  const placeOf = (number: number) => [paths.get(number)?.collection, paths.get(number)?.name];
  // A write of some paths counts its positions alone: they are an order within each path.
  const leaves = db.selectFrom("content_leaf").selectAll().orderBy("position");
  const places = new Ranks();
  for (const { item, path, key, text } of await leaves.execute()) {
    const place = places.next(`${item} ${path}`);
    facts.store("leaf", ...placeOf(path), items.get(item), place, key, text);
  }
  for (const row of await db.selectFrom("content_value").selectAll().execute()) {
    const { item, path, visibility, value, sort_time, open_from, open_until } = row;
    facts.store(
      "value",
      ...placeOf(path),
      items.get(item),
      visibility,
      value,
      sort_time,
      open_from,
      open_until,
    );
  }
  for (const { item, word, collection, visibility } of await db
    .selectFrom("content_word")
    .selectAll()
    .execute()) {
    facts.store("word", collection, items.get(item), word, visibility);
  }
}

/** Compares entitlements with the transactions that grant them, and counts the others. */
async function compareEntitlements(
  db: Kysely<Schema>,
  facts: Facts,
  usage: Map<string, Amounts>,
): Promise<void> {
  for (const { organization_id, doc } of await db
    .selectFrom("transaction_record")
    .selectAll()
    .execute()) {
    const purchase = readDocument(TransactionSchema, doc);
    const access = decideAccess(purchase);
    if (access === undefined) continue;
    const { id, projectId, userId, offerId } = purchase;
    const [start, end] = [timeColumn(access.start), timeColumn(access.end)];
    facts.derive("bought", organization_id, id, projectId, userId, offerId, start, end);
  }
  for (const row of await db.selectFrom("entitlement").selectAll().execute()) {
    const { organization_id, id, project_id, user_id, offer_id, start_time, end_time } = row;
    if (row.is_granted === 0) {
      facts.store(
        "bought",
        organization_id,
        id,
        project_id,
        user_id,
        offer_id,
        start_time,
        end_time,
      );
      continue;
    }
    addUsage(usage, `project ${project_id}`, toAmounts("entitlement", 1, 0));
    for (const to of listReferencesOf("entitlement", toEntitlement(row))) {
      facts.derive("reference", project_id, "entitlement", id, to.kind, to.id);
    }
  }
}

/** Compares the counts of organizations and projects, and that revisions are not above those of their project. */
async function compareUsage(
  db: Kysely<Schema>,
  facts: Facts,
  usage: ReadonlyMap<string, Amounts>,
): Promise<void> {
  for (const { id, project_count, account_count } of await db
    .selectFrom("organization")
    .selectAll()
    .execute()) {
    const { projects = 0, accounts = 0 } = usage.get(`organization ${id}`) ?? {};
    facts.store("organization", id, project_count, account_count);
    facts.derive("organization", id, projects, accounts);
  }
  for (const row of await db.selectFrom("project").selectAll().execute()) {
    const { id, item_count, byte_count, key_count } = row;
    const { items = 0, bytes = 0, keys = 0 } = usage.get(`project ${id}`) ?? {};
    facts.store("project", id, item_count, byte_count, key_count);
    facts.derive("project", id, items, bytes, keys);
  }
  const { rows } = await sql<{ id: string }>`
    select content.id as id from content
    join content_collection using (collection) join project on project.id = project_id
    where content.revision > change_count`.execute(db);
  for (const { id } of rows) facts.store("revision", id);
}

/** Compares the sizes of drafts and of histories, and the totals of transactions. */
async function compareSizes(db: Kysely<Schema>, facts: Facts): Promise<void> {
  const drafts = await db.selectFrom("release_item").selectAll().execute();
  const sizeOf = (
    rows: readonly { readonly [name: string]: unknown }[],
    names: readonly string[],
  ) =>
    rows
      .flatMap((row) => names.map((name) => row[name] as Uint8Array | null))
      .reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0);
  for (const row of await db.selectFrom("release").selectAll().execute()) {
    const own = drafts.filter(
      (it) => it.organization_id === row.organization_id && it.release_id === row.id,
    );
    facts.store("drafts", row.organization_id, row.id, row.draft_count, row.draft_bytes, true);
    facts.derive(
      ...["drafts", row.organization_id, row.id, own.length, sizeOf(own, ["base", "draft"])],
      own.every((it) => it.update_time <= row.draft_time && it.project_id === row.project_id),
    );
  }
  for (const { release_id, kind, resource_id, page_id, draft } of drafts) {
    const record = draft && openRecord(readDocument(RecordSchema, draft), 0);
    facts.store("draft", release_id, kind, resource_id, page_id);
    facts.derive("draft", release_id, kind, resource_id, record?.pageId ?? null);
  }
  const changes = await db.selectFrom("history").selectAll().execute();
  const runs = await db.selectFrom("action_run").select(["project_id", "payload"]).execute();
  for (const { id, ...project } of await db.selectFrom("project").selectAll().execute()) {
    const { draft_bytes, history_bytes, run_bytes } = project;
    const ofProject = (it: { readonly project_id: string }) => it.project_id === id;
    facts.store("sizes", id, draft_bytes, history_bytes, run_bytes);
    facts.derive(
      ...["sizes", id, sizeOf(drafts.filter(ofProject), ["base", "draft"])],
      sizeOf(changes.filter(ofProject), ["before", "doc"]),
      runs.filter(ofProject).reduce((sum, it) => sum + Buffer.byteLength(it.payload), 0),
    );
  }
  for (const { project_id } of changes) {
    facts.store("history", project_id);
  }
  for (const { id } of await db.selectFrom("project").select("id").execute()) {
    if (changes.some((it) => it.project_id === id)) facts.derive("history", id);
  }
  if (changes.some(({ project_id }) => project_id === "")) facts.derive("history", "");
  const { rows } = await sql<Readonly<Record<string, unknown>>>`
    select project_id, case when billing_transaction_id <> '' then 1 else 0 end as is_billed, currency_code,
      count(*) as count, sum(is_revenue) as revenue_count,
      sum(is_revenue * (units / 1000000000)) as high, sum(is_revenue * (units % 1000000000)) as low,
      sum(is_revenue * nanos) as nanos
    from transaction_record group by 1, 2, 3`.execute(db);
  const columns = ["count", "revenue_count", "high", "low", "nanos"];
  const toTotal = (row: Readonly<Record<string, unknown>>) => [
    ...["total", row.project_id, Number(row.is_billed), row.currency_code],
    ...columns.map((name) => Number(row[name])),
  ];
  for (const row of rows) facts.derive(...toTotal(row));
  for (const row of await db.selectFrom("transaction_total").selectAll().execute()) {
    facts.store(...toTotal(row));
  }
}

/** Compares the orders of pages with their components. */
async function compareOrders(db: Kysely<Schema>, facts: Facts): Promise<void> {
  for (const { organization_id, id, component_ids } of await db
    .selectFrom("page")
    .selectAll()
    .execute()) {
    const ids: readonly string[] = JSON.parse(component_ids);
    facts.store("order", organization_id, id, ids.length, true);
    facts.derive("order", organization_id, id, new Set(ids).size, true);
    for (const component of ids) facts.store("place", organization_id, id, component);
  }
  for (const { organization_id, page_id, id } of await db
    .selectFrom("page_component")
    .selectAll()
    .execute()) {
    facts.derive("place", organization_id, page_id, id);
  }
}

/** Compares the turns of actions and organizations with the runs that wait. */
async function compareTurns(db: Kysely<Schema>, facts: Facts): Promise<void> {
  const { rows } = await sql<
    Pick<Schema["run_turn"], "action_id" | "organization_id" | "project_id">
  >`
    select distinct organization_id, project_id, action_id
    from action_run join project on project.id = project_id
    where due_time < ${sql.lit(UNSET_TIME)}`.execute(db);
  for (const { organization_id, project_id, action_id } of rows) {
    facts.derive("turn", organization_id, project_id, action_id);
    facts.derive("turn", organization_id, "", "");
  }
  for (const { organization_id, project_id, action_id } of await db
    .selectFrom("run_turn")
    .selectAll()
    .execute()) {
    facts.store("turn", organization_id, project_id, action_id);
  }
}
