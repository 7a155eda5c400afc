import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { OPEN_FRESH } from "../../harness/fresh-store.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../small-dataset.ts";

const EVENTS = 1_500;

async function openLarge(changes: number) {
  const events = Array.from({ length: EVENTS }, (_, number) => createEvent(`event-${number}`, {}));
  const { store, address, close } = await OPEN_FRESH.sqlite(createSmallDataset({ events }));
  const database = new Database("path" in address ? address.path : "");
  database
    .prepare(
      `with recursive number (n) as (select 1 union all select n + 1 from number where n < ?)
       insert into history
         (project_id, revision, part, organization_id, id, time, account_id, kind, resource_id, paths, before)
       select ?, n, 0, 'acme', 'change-' || n, n, 'ann', 'event', 'event-' || n, '', x'00' from number`,
    )
    .run(changes, ALPHA);
  return {
    store,
    countRows: () =>
      ["content", "history"].map((table) =>
        database.prepare(`select count(*) from ${table}`).pluck().get(),
      ),
    async close() {
      database.close();
      await close();
    },
  };
}

test("other calls of the process run while a large project is deleted", async () => {
  const { store, countRows, close } = await openLarge(40_000);
  let [turns, isOver] = [0, false];
  const count = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await store.in("acme").documents.project.delete(ALPHA, () => {});
  isOver = true;
  // The deletion makes a pause every 10 ms.
  expect(turns).toBeGreaterThan(1);
  expect(countRows()).toEqual([0, 0]);
  await close();
});

test("writes of others go between the steps that empty a project", async () => {
  const { store, countRows, close } = await openLarge(4_000);
  let [writes, isOver] = [0, false];
  const emptying = store.emptyProject({ id: ALPHA, organizationId: "acme" }).then(() => {
    isOver = true;
  });
  while (!isOver) {
    const name = `Beta ${writes}`;
    await store.in("acme").documents.project.update(BETA, ({ value }) => ({ ...value, name }));
    writes += 1;
    await setTimeout(2);
  }
  await emptying;
  // Three steps of content and eight of the history.
  expect(writes).toBeGreaterThan(10);
  expect(countRows()).toEqual([0, 0]);
  await close();
});
