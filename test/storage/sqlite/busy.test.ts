import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createTestFolder } from "../../harness/test-folder.ts";
import { keepProjectKey } from "../project-key.ts";
import { ALPHA, createSmallDataset } from "../small-dataset.ts";

const UNAVAILABLE = { code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE", retryAfter: 1 };

let file: string;
let blocker: Database.Database;

beforeEach(async () => {
  file = join(createTestFolder(), "marquee.db");
  const store = openSqliteStore(file);
  await loadDataset(store, createSmallDataset());
  await store.close();
  blocker = new Database(file);
});
afterEach(() => blocker.close());

const WRITES: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  [
    "an update",
    (store) => store.in("acme").documents.annotation.touch("annotation-1", ({ value }) => value),
  ],
  [
    "a component's update",
    (store) => store.in("acme").pageComponents.update("page_component-1", toValue),
  ],
  ["an integration", (store) => store.signInIntegrations.put(ALPHA, toIntegration)],
  ["a secret", (store) => store.secrets.getOrCreate("key", () => Uint8Array.of(1))],
  ["a key", (store) => keepProjectKey(store, ALPHA, "public", Uint8Array.of(1))],
  ["a load", (store) => loadDataset(store, createSmallDataset())],
];

describe("while another process holds the write lock", () => {
  test.each(WRITES)("%s gives up as UNAVAILABLE, without SQL in the message", async (_, write) => {
    const store = openSqliteStore(file, { busyTimeoutMs: 60 });
    blocker.exec("BEGIN IMMEDIATE");
    await expect(write(store)).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: "database unavailable",
    });
    blocker.exec("COMMIT");
    await store.close();
  });

  test("a write waits for its turn, and the process goes on meanwhile", async () => {
    const store = openSqliteStore(file, { busyTimeoutMs: 20_000 });
    blocker.exec("BEGIN IMMEDIATE");
    blocker.exec("UPDATE project SET change_count = change_count + 1");
    const write = store.in("acme").documents.annotation.touch("annotation-1", ({ value }) => value);
    for (let round = 0; round < 20; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect((await store.in("acme").documents.annotation.get("annotation-1")).revision).toBe(1);
    }
    blocker.exec("COMMIT");
    expect((await write).revision).toBe(3);
    await store.close();
  });

  test("a store that gave up writes again afterwards", async () => {
    const store = openSqliteStore(file, { busyTimeoutMs: 0 });
    blocker.exec("BEGIN IMMEDIATE");
    const update = () =>
      store.in("acme").documents.annotation.touch("annotation-1", ({ value }) => value);
    await expect(update()).rejects.toMatchObject(UNAVAILABLE);
    blocker.exec("ROLLBACK");
    expect((await update()).revision).toBe(2);
    await store.close();
  });

  test("reads return what was there before", async () => {
    const store = openSqliteStore(file, { busyTimeoutMs: 0 });
    blocker.exec("BEGIN IMMEDIATE");
    blocker.exec("DELETE FROM binding");
    expect((await store.access.listBindings({ id: "ann", organizationId: "acme" })).length).toBe(1);
    await store.readiness();
    blocker.exec("COMMIT");
    expect(await store.access.listBindings({ id: "ann", organizationId: "acme" })).toEqual([]);
    await store.close();
  });
});

test("a page comes with the summary of the same moment", async () => {
  const store = openSqliteStore(file);
  const insert = blocker.prepare(
    `INSERT INTO transaction_record SELECT organization_id, id || ?, project_id, create_time, update_time, revision, doc,
       billing_transaction_id, is_revenue, currency_code, units, nanos
     FROM transaction_record WHERE id = 'transaction-1'`,
  );
  const query = {
    projectIds: [ALPHA],
    billingTransactionIds: [],
    limit: 1_000,
    withSummary: true,
  };
  for (let round = 0; round < 50; round += 1) {
    const asked = store.transactions.list(query);
    for (let step = 0; step < round % 7; step += 1) await Promise.resolve();
    insert.run(`-${round}`);
    const { values, summary } = await asked;
    expect(summary?.totalCount).toBe(values.length);
    expect(summary?.revenue.get("EUR")).toBe(BigInt(values.length) * 1_000_000_000n);
  }
  await store.close();
});

function toValue<T>({ value }: { readonly value: T }): T {
  return value;
}

function toIntegration<T>(current: { readonly value: T } | undefined): T {
  if (current === undefined) throw new Error("it was loaded");
  return current.value;
}
