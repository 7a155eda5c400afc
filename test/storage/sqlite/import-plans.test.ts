import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RecordItem } from "../../../src/domain/records/record.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { ALPHA, createEvent, createSmallDataset, createTransaction } from "../small-dataset.ts";
import { createStoreOver, type RunQuery } from "./one-connection.ts";

let database: Database.Database;
let store: Store;
let queries: RunQuery[] = [];

beforeAll(async () => {
  database = new Database(":memory:");
  migrate(database);
  store = createStoreOver(database, (query) => queries.push(query));
  await loadDataset(store, createSmallDataset());
});
afterAll(() => store.close());

function toBatches(contentType: string): (readonly RecordItem[])[] {
  const events = ["a", "b"].map((id) => createEvent(id, { projectId: ALPHA, contentType }));
  return [events.map((message) => ({ kind: "event", message, line: 1 }))];
}

/** Lists the plan of each statement that was run. */
function explain(): { sql: string; plan: string[] }[] {
  const asked = queries.filter(({ sql }) => /^\s*(select|insert|update|delete)/i.test(sql));
  return asked.map(({ sql, parameters }) => ({
    sql,
    plan: database
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...parameters)
      .map(({ detail }) => detail),
  }));
}

test("what an import finds, erases and writes, it finds by an index", async () => {
  await store.importRecords(toBatches("old"));
  queries = [];
  await store.importRecords(toBatches("new"));
  const explained = explain();
  expect(explained.filter(({ sql }) => /^\s*delete/i.test(sql))).toHaveLength(4);
  for (const { sql, plan } of explained) {
    // The first few rows are only counted.
    const scans = plan.filter((it) => /^SCAN /.test(it));
    const isCount = sql === 'select "item" from "content" limit +?';
    // Values and a JSON array come with the statement.
    const stored = scans.filter((it) => !/VALUES|CONSTANT ROW|json_each/.test(it));
    expect(isCount ? [] : stored, sql).toEqual([]);
  }
});

test("an import of purchases finds each by its id, not all of its project", async () => {
  const { transaction: message, billingTransactionId } = createTransaction("bought", {
    userId: "u",
    offerId: "offer",
  });
  queries = [];
  await store.importRecords([[{ kind: "transaction", message, line: 1, billingTransactionId }]]);
  const explained = explain();
  expect(explained.some(({ sql }) => /^\s*delete from "entitlement"/i.test(sql))).toBe(true);
  for (const { sql, plan } of explained) {
    const wholeProjects = plan.filter((it) => /\((organization_id|project_id)=\?\)$/.test(it));
    // The usage of an organization is the sum of its projects.
    const isSum = sql.includes("sum(");
    expect(isSum ? [] : wholeProjects, sql).toEqual([]);
  }
});
