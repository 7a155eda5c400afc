import { expect, onTestFinished, test } from "vitest";
import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { concludeRun } from "../../src/domain/actions/action-run.ts";
import { KEPT_BYTES } from "../../src/domain/actions/run-room.ts";
import { RunSlots } from "../../src/domain/actions/run-slots.ts";
import { openDatabase } from "../harness/database.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { createDueRun, createWebhook, SECRET } from "../outbox/outbox.ts";
import { ALPHA, createSmallDataset } from "./small-dataset.ts";

const START = new Date("2026-07-19T19:00:00Z");
const LATER = new Date("2026-07-19T20:00:00Z");

test("a claim reads the targets of actions without the rest of them, which may have megabytes", async () => {
  const { store, address, close } = await openFresh(createSmallDataset());
  onTestFinished(close);
  const database = openDatabase(address);
  onTestFinished(() => database.destroy());
  const url = "https://hooks.example.com/";
  const run = await createDueRun(store, await createWebhook(store, "hook", url), START);
  const unreadable = Uint8Array.of(255);
  await database.updateTable("action").set({ doc: unreadable }).where("id", "=", "hook").execute();
  const claim = { lease: "a", now: LATER, leaseEnd: LATER, limit: 1, slots: new RunSlots() };
  const { runs } = await store.actionRuns.take(claim);
  expect(runs.map(({ sender }) => sender?.target)).toEqual([{ kind: "webhook", url }]);
  expect(await store.actionRuns.findSecret(run.id)).toBe(SECRET);
});

test("a run beyond the bytes of a project deletes as many of the oldest ended ones as are needed", async () => {
  const { store, address, close } = await openFresh(createSmallDataset());
  onTestFinished(close);
  const { actionRuns } = store;
  const database = openDatabase(address);
  onTestFinished(() => database.destroy());
  const action = await createWebhook(store, "hook", "https://hooks.example.com/");
  const add = async () => (await createDueRun(store, action, START)).id;
  const list = async () => {
    const rows = await database.selectFrom("action_run").select("id").execute();
    return rows.map(({ id }) => id).sort();
  };
  const waiting = await add();
  const size = await actionRuns.countBytes(ALPHA);
  const slots = new RunSlots();
  const ended: string[] = [];
  for (const minute of [3, 1, 2]) {
    const { id } = await createDueRun(store, action, START);
    const claim = { lease: id, now: LATER, leaseEnd: LATER, limit: 10, slots };
    const { runs } = await actionRuns.take(claim);
    const { run } = runs.find((it) => it.run.id === id) ?? expect.fail();
    const now = new Date(START.getTime() + minute * 60_000);
    const done = concludeRun(run, ActionRunState.SUCCEEDED, "", now);
    await actionRuns.finish(id, { run: done, now });
    await actionRuns.release(id);
    ended.push(id);
  }
  const [newest = "", oldest, second] = ended;
  expect(await actionRuns.countBytes(ALPHA)).toBe(size * 4);
  /** Makes a project have so many bytes after its next run. */
  const fill = (bytes: number) =>
    database
      .updateTable("project")
      .set({ run_bytes: bytes - size })
      .where("id", "=", ALPHA)
      .execute();

  await fill(KEPT_BYTES);
  const atLimit = await add();
  expect(await list()).toEqual([waiting, ...ended, atLimit].sort());
  await fill(KEPT_BYTES + 1);
  const past = await add();
  expect(await list()).not.toContain(oldest);
  expect(await list()).toHaveLength(5);
  await fill(KEPT_BYTES + size);
  await add();
  expect(await list()).not.toContain(second);
  expect(await list()).toHaveLength(5);
  await fill(KEPT_BYTES + 10 * size);
  await add();
  expect(await list()).not.toContain(newest);
  expect(await list()).toEqual(expect.arrayContaining([waiting, atLimit, past]));
  expect(await list()).toHaveLength(5);
});
