import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import type { TransactionQuery } from "../../../src/storage/transaction-store.ts";
import { createStoreOver, type RunQuery } from "./one-connection.ts";

const ROWS = 200_000;
/** All rows of the first half have this time, as an import may leave them. */
const SAME_TIME = 1_000_000;
const EMPTY_DOCUMENT = "x''";

let database: Database.Database;
let store: Store;
let queries: RunQuery[] = [];

beforeAll(() => {
  database = new Database(":memory:");
  migrate(database);
  database.exec(`
    INSERT INTO organization (id, create_time, update_time, revision, doc) 
      VALUES ('o', 0, 0, 1, x'');
    INSERT INTO project (id, organization_id, create_time, update_time, revision, doc) 
      VALUES ('p', 'o', 0, 0, 1, x'');
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})
    INSERT INTO transaction_record
    SELECT 'o', printf('t-%06d', i), 'p', iif(i < ${ROWS / 2}, ${SAME_TIME}, i * 100), 0, 1,
      ${EMPTY_DOCUMENT}, 'b-' || (i % 50), 1, 'EUR', 1, 0 FROM n;
  `);
  store = createStoreOver(database, (query) => queries.push(query));
});
afterAll(() => store.close());

const transactions: TransactionQuery = {
  projectIds: ["p"],
  billingTransactionIds: [],
  limit: 50,
  withSummary: false,
};

const LISTS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["the first page of transactions", () => store.transactions.list(transactions)],
  [
    "a deep page of transactions",
    () => store.transactions.list({ ...transactions, after: { createTime: 10_000_100, id: "t" } }),
  ],
  [
    "a page of transactions among 100,000 of the same moment",
    () =>
      store.transactions.list({
        ...transactions,
        after: { createTime: SAME_TIME, id: "t-099000" },
      }),
  ],
  [
    "the first page of transactions of one billing id",
    () => store.transactions.list({ ...transactions, billingTransactionIds: ["b-7"] }),
  ],
  [
    "a deep page of transactions of one billing id",
    () =>
      store.transactions.list({
        ...transactions,
        billingTransactionIds: ["b-7"],
        after: { createTime: SAME_TIME, id: "t-050000" },
      }),
  ],
];

describe(`lists over ${ROWS} rows are index ranges`, () => {
  for (const [name, list] of LISTS) {
    test(`${name}: no scan and no sort`, async () => {
      const plans = await explain(list);
      expect(plans.length).toBeGreaterThan(0);
      for (const plan of plans) {
        expect(plan).toMatch(/^SEARCH \w+ USING INDEX \w+ \(/);
        expect(plan).not.toContain("TEMP B-TREE");
      }
    });
  }

  test("the range of a deep page begins at its place", async () => {
    const plans = await explain(LISTS[1]?.[1] ?? Promise.reject);
    expect(plans).toEqual([
      "SEARCH transaction_record USING INDEX transaction_record_by_time (project_id=? AND create_time=? AND id>?)",
      "SEARCH transaction_record USING INDEX transaction_record_by_time (project_id=? AND create_time<?)",
    ]);
  });

  test("a deep page costs about what the first one does", async () => {
    const [base, ...deep] = LISTS.slice(0, 3);
    const first = await measure(base?.[1] ?? Promise.reject);
    for (const [name, list] of deep) {
      expect(await measure(list), name).toBeLessThan(first * 10 + 3);
    }
  });

  test("the summary is made from indexes alone", async () => {
    const plans = await explain(() =>
      store.transactions.list({ ...transactions, withSummary: true }),
    );
    expect(plans.length).toBe(3);
    for (const plan of plans.slice(1)) expect(plan).toContain("USING COVERING INDEX");
  });
});

/** The plans of the queries that a call runs, one text a query. */
async function explain(call: () => Promise<unknown>): Promise<string[]> {
  queries = [];
  await call();
  return queries
    .filter(({ sql }) => sql.startsWith("select"))
    .map(({ sql, parameters }) =>
      database
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map((row) => row.detail)
        .join("\n"),
    );
}

/** The median time of a call, in milliseconds. */
async function measure(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[4] ?? 0;
}
