import { create, equals } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import {
  type ActionRun,
  ActionRunSchema,
  ActionRunState,
} from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { concludeRun, replayRun, retryRun } from "../../../src/domain/actions/action-run.ts";
import { RunSlots } from "../../../src/domain/actions/run-slots.ts";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { DocumentQuery } from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { revisionOf } from "../../harness/revision.ts";
import { createDueRun, createWebhook, SECRET } from "../../outbox/outbox.ts";
import { createEndlessBudget } from "../slow-budget.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import { readAll } from "./paging.ts";
import type { Scenario } from "./scenario.ts";

const START = new Date("2026-07-19T19:00:00Z");
const LEASE_MS = 60_000;
const URL = "https://hooks.example.com/";

const at = (ms: number) => new Date(START.getTime() + ms);
const claim = (lease: string, ms: number, limit = 10) => ({
  ...{ lease, limit, now: at(ms), leaseEnd: at(ms + LEASE_MS), slots: new RunSlots() },
});

/** Holds that runs are taken once a lease, in time and in order, and that nothing of them is lost. */
export function actionRunContract(scenario: Scenario): void {
  const data = createSmallDataset();
  const take = async (store: Store, lease: string, ms: number, limit?: number) =>
    (await store.actionRuns.take(claim(lease, ms, limit))).runs.map(({ run }) => run.id);

  /** Makes a run that is due, and its action. */
  const makeRun = async (store: Store) => {
    const action = await createWebhook(store, "hook", URL);
    return { action, run: await createDueRun(store, action, START) };
  };

  scenario("a run is due when it is made and not a moment before", data, async (store) => {
    const action = await createWebhook(store, "hook", URL);
    const run = await createDueRun(store, action, START, { level: 1 });
    expect(await store.actionRuns.nextDueTime()).toEqual(START);
    expect(await take(store, "early", -1)).toEqual([]);
    const [taken, ...others] = (await store.actionRuns.take(claim("a", 0))).runs;
    expect(others).toEqual([]);
    expect(taken?.run).toEqual(run);
    expect(taken?.sender).toEqual({ target: { kind: "webhook", url: URL }, secret: SECRET });
    expect(taken?.firstAttemptTime).toBeUndefined();
    expect(JSON.parse(taken?.payload.body ?? "")).toMatchObject({
      data: { settings: { level: 1 } },
    });
  });

  scenario("what one has taken no other has until the lease ends", data, async (store, fresh) => {
    const other = await fresh.openAnother();
    const { id } = (await makeRun(store)).run;
    expect(await take(store, "a", 0)).toEqual([id]);
    expect(await other.actionRuns.nextDueTime()).toEqual(at(LEASE_MS));
    for (const ms of [0, 1, LEASE_MS - 1]) expect(await take(other, "b", ms)).toEqual([]);
    expect(await take(other, "c", LEASE_MS)).toEqual([id]);
  });

  scenario("only who holds the lease records what became of it", data, async (store, fresh) => {
    const other = await fresh.openAnother();
    const { run } = await makeRun(store);
    await take(store, "a", 0);
    await take(other, "b", LEASE_MS);
    const late = concludeRun(run, ActionRunState.FAILED, "TIMEOUT", at(LEASE_MS + 1));
    expect(await store.actionRuns.finish("a", { run: late, now: at(LEASE_MS + 1) })).toBe(false);
    const done = concludeRun(run, ActionRunState.SUCCEEDED, "", at(LEASE_MS + 2));
    expect(await other.actionRuns.finish("b", { run: done, now: at(LEASE_MS + 2) })).toBe(true);
    expect(await other.actionRuns.finish("b", { run: done, now: at(LEASE_MS + 3) })).toBe(false);
    expect(await store.in("acme").runAdmin.get(run.id)).toEqual({ value: done, revision: 2 });
    expect(await take(store, "c", 10 * LEASE_MS)).toEqual([]);
    expect(await store.actionRuns.nextDueTime()).toBeUndefined();
  });

  scenario("who still holds a lease that has ended records, too", data, async (store) => {
    const { run } = await makeRun(store);
    await take(store, "a", 0);
    const done = concludeRun(run, ActionRunState.SUCCEEDED, "", at(LEASE_MS + 1));
    expect(await store.actionRuns.finish("a", { run: done, now: at(LEASE_MS + 1) })).toBe(true);
  });

  scenario("a retry is due at its time, and keeps the first attempt's", data, async (store) => {
    const { run } = await makeRun(store);
    const [first] = (await store.actionRuns.take(claim("a", 0))).runs;
    const retried = retryRun(run, "STATUS_500", at(5_000));
    const finished = { run: retried, firstAttemptTime: at(3), now: at(10) };
    expect(await store.actionRuns.finish("a", finished)).toBe(true);
    expect(await take(store, "b", 4_999)).toEqual([]);
    const [taken] = (await store.actionRuns.take(claim("c", 5_000))).runs;
    expect(taken).toEqual({ ...first, run: retried, firstAttemptTime: at(3) });
  });

  scenario("what is given back is due as it was, and only that", data, async (store) => {
    const action = await createWebhook(store, "hook", URL);
    const ids = [];
    for (const ms of [0, 1, 2]) ids.push((await createDueRun(store, action, at(ms))).id);
    expect(await take(store, "a", 2, 1)).toEqual(ids.slice(0, 1));
    expect(await take(store, "b", 2, 1)).toEqual(ids.slice(1, 2));
    await store.actionRuns.release("a");
    await store.actionRuns.release("nobody");
    expect(await store.actionRuns.nextDueTime()).toEqual(START);
    expect(await take(store, "c", 2)).toEqual([ids[0], ids[2]]);
  });

  scenario("the longest due come first, no more than the limit", data, async (store) => {
    const action = await createWebhook(store, "hook", URL);
    const late = await createDueRun(store, action, at(20));
    const early = await createDueRun(store, action, at(10));
    expect(await take(store, "a", 30, 1)).toEqual([early.id]);
    expect(await take(store, "b", 30, 1)).toEqual([late.id]);
    expect(await take(store, "c", 30, 1)).toEqual([]);
  });

  scenario("40 takers at once, through two stores, share 40 runs", data, async (store, fresh) => {
    const stores = [store, await fresh.openAnother()];
    const action = await createWebhook(store, "hook", URL);
    const made = [];
    for (let n = 0; n < 40; n += 1) made.push((await createDueRun(store, action, START)).id);
    const taken = await Promise.all(
      made.map((_, n) => take(stores[n % 2] ?? store, `lease-${n}`, 0, 3)),
    );
    expect(taken.flat().sort()).toEqual(made.sort());
  });

  scenario("a run is taken with the action as it is now, or none", data, async (store) => {
    const { action } = await makeRun(store);
    const url = "https://other.example.com/";
    const changed = create(ActionSchema, {
      ...{ id: action.id, projectId: action.projectId },
      kind: { case: "webhook", value: { url } },
    });
    await store.in("acme").documents.action.touch("hook", () => changed, { secret: "whsec_other" });
    const [taken] = (await store.actionRuns.take(claim("a", 0))).runs;
    const target = { kind: "webhook", url };
    expect(taken?.sender).toEqual({ target, secret: "whsec_other" });
    await store.actionRuns.release("a");
    await store.in("acme").documents.action.delete("hook", () => {});
    const [orphan] = (await store.actionRuns.take(claim("b", 0))).runs;
    expect([orphan?.run.id, orphan?.sender]).toEqual([taken?.run.id, undefined]);
  });

  scenario("a large request takes more slots of a claim", data, async (store) => {
    const action = await createWebhook(store, "hook", URL);
    for (const length of [2 ** 20, 1, 2 ** 19]) {
      await createDueRun(store, action, START, { text: "x".repeat(length) });
    }
    const slotsOf = async (lease: string) =>
      (await store.actionRuns.take(claim(lease, 0, 4))).runs.map(({ holder }) => holder.slots);
    const sizes = [await slotsOf("a"), await slotsOf("b"), await slotsOf("c")];
    expect(sizes.flat().sort()).toEqual([1, 3, 5]);
    expect(sizes.map((it) => it.length)).toEqual(expect.arrayContaining([1, 2]));
  });

  scenario("an action of the same id in another project signs nothing", data, async (store) => {
    const { action } = await makeRun(store);
    await store.in("acme").documents.action.delete("hook", () => {});
    const moved = { ...action, projectId: BETA };
    await store.in("acme").documents.action.create(moved, { secret: SECRET });
    expect((await store.actionRuns.take(claim("a", 0))).runs[0]?.sender).toBeUndefined();
  });

  scenario("a replay starts anew, but never beside an attempt", data, async (store) => {
    const { runAdmin } = store.in("acme");
    const { run } = await makeRun(store);
    const replay = (ms: number) => runAdmin.replay(run.id, ({ value }) => replayRun(value, at(ms)));
    await take(store, "a", 0);
    expect(await replay(1)).toEqual({ value: run, revision: 1 });
    expect(await take(store, "b", 1)).toEqual([]);
    const failed = concludeRun(run, ActionRunState.FAILED, "STATUS_410", at(2));
    await store.actionRuns.finish("a", { run: failed, firstAttemptTime: START, now: at(2) });
    const { value, revision } = await replay(3);
    expect([value.state, value.attemptCount, value.reason, revision]).toEqual([
      ActionRunState.PENDING,
      0,
      "",
      3,
    ]);
    const [taken] = (await store.actionRuns.take(claim("c", 3))).runs;
    expect([taken?.run, taken?.firstAttemptTime]).toEqual([value, undefined]);
  });

  scenario("a replay knows whether there is anything to send", data, async (store) => {
    const { id } = (await makeRun(store)).run;
    const skipped = create(ActionRunSchema, { id: "skipped", projectId: ALPHA, actionId: "hook" });
    await store.actionRuns.create([{ run: skipped }]);
    const canBeSent = async (runId: string) => {
      let response: boolean | undefined;
      await store.in("acme").runAdmin.replay(runId, ({ value }, can) => {
        response = can;
        return value;
      });
      return response;
    };
    expect([await canBeSent(id), await canBeSent("skipped")]).toEqual([true, false]);
    await store.in("acme").documents.action.delete("hook", () => {});
    expect(await canBeSent(id)).toBe(false);
    await expect(canBeSent("nothing")).rejects.toMatchObject({ reason: "RESOURCE_NOT_FOUND" });
  });

  scenario("runs go with their transaction, and leave the project alone", data, async (store) => {
    const action = await createWebhook(store, "hook", URL);
    const before = await revisionOf(store, ALPHA);
    const thrown = store.transaction("installation", async (unit) => {
      await createDueRun(unit, action, START);
      throw new Error("undone");
    });
    await expect(thrown).rejects.toThrow("undone");
    expect(await store.actionRuns.backlog()).toEqual({ pending: 0 });
    const run = await createDueRun(store, action, START);
    await take(store, "a", 0);
    await store.actionRuns.finish("a", { run, now: START });
    await store.in("acme").runAdmin.replay(run.id, ({ value }) => value);
    expect(await revisionOf(store, ALPHA)).toBe(before);
    expect(await store.actionRuns.backlog()).toEqual({ pending: 1, oldestTime: START });
  });

  scenario("what ended before a time is forgotten, in portions", data, async (store) => {
    const { actionRuns } = store;
    const action = await createWebhook(store, "hook", URL);
    const end = async (ms: number) => {
      const run = await createDueRun(store, action, START);
      await take(store, run.id, 0);
      const done = concludeRun(run, ActionRunState.SUCCEEDED, "", at(ms));
      await actionRuns.finish(run.id, { run: done, now: at(ms) });
      return run.id;
    };
    const ids = [await end(1), await end(2), await end(3), await end(4)];
    const waiting = await createDueRun(store, action, START);
    expect(await actionRuns.prune(at(1), 10)).toBe(0);
    expect(await actionRuns.prune(at(4), 2)).toBe(2);
    expect(await actionRuns.prune(at(4), 2)).toBe(1);
    const version = store.accessVersion();
    expect(await actionRuns.prune(at(4), 2)).toBe(0);
    expect(store.accessVersion()).toBe(version);
    const left = await actionRuns.list(query({}));
    expect(left.values.map(({ id }) => id).sort()).toEqual([waiting.id, ids[3]].sort());
  });

  scenario("requests that end together are forgotten by their bytes", data, async (store) => {
    const { actionRuns } = store;
    const action = await createWebhook(store, "hook", URL);
    const text = "€".repeat(2 ** 21 - 1_000);
    for (const id of ["1", "2", "3", "4"]) {
      const run = await createDueRun(store, action, START, { text });
      await take(store, id, 0);
      const done = concludeRun(run, ActionRunState.SUCCEEDED, "", START);
      await actionRuns.finish(id, { run: done, now: START });
    }
    expect(await actionRuns.countBytes(ALPHA)).toBeGreaterThan(23 * 2 ** 20);
    expect(await actionRuns.prune(at(1), 10)).toBe(3);
    expect(await actionRuns.prune(at(1), 10)).toBe(1);
    expect(await actionRuns.countBytes(ALPHA)).toBe(0);
    expect(await actionRuns.countBytes(BETA)).toBe(0);
  });

  scenario("lists are newest first, by page, and filtered", data, async (store) => {
    const action = await createWebhook(store, "hook", URL);
    const runs: ActionRun[] = [];
    for (const ms of [0, 1_000, 1_000, 2_000]) runs.push(await createDueRun(store, action, at(ms)));
    const [first, ...others] = runs.map(({ id }) => id);
    const [one = "", two = "", last = ""] = others;
    const sorted = [last, ...[one, two].sort(), first];
    for (const limit of [1, 2, 3, 4, 5]) {
      expect(await listAll(store, {}, limit)).toEqual(sorted);
      const order = { field: "id", direction: "desc" } as const;
      const byId = runs.map(({ id }) => id).sort();
      expect(await listAll(store, { order }, limit)).toEqual(byId.toReversed());
    }
    const own = parseKql(`annotation_id: "${runs[0]?.annotationId}"`);
    expect(await listAll(store, { filter: own })).toEqual([first]);
    const failed = parseKql("state: ACTION_RUN_STATE_FAILED");
    expect(await listAll(store, { filter: failed })).toEqual([]);
    const pending = parseKql('state: ACTION_RUN_STATE_PENDING AND action_id: "hook"');
    expect(await listAll(store, { filter: pending }, 3)).toEqual(sorted);
    expect(await listAll(store, { parentIds: [BETA] })).toEqual([]);

    const taken = await store.actionRuns.take(claim("a", 2_000, 2));
    for (const { run } of taken.runs) {
      const ended = concludeRun(run, ActionRunState.FAILED, "TIMEOUT", at(3_000));
      await store.actionRuns.finish("a", { run: ended, now: at(3_000) });
    }
    const ids = taken.runs.map(({ run }) => run.id);
    const want = sorted.filter((id) => ids.includes(String(id)));
    expect(want).toHaveLength(2);
    for (const text of ["", ' AND action_id: "hook"', " AND reason: TIMEOUT"]) {
      const filter = parseKql(`state: ACTION_RUN_STATE_FAILED${text}`);
      for (const limit of [1, 50]) expect(await listAll(store, { filter }, limit)).toEqual(want);
    }
  });

  scenario("runs go with their project", data, async (store) => {
    const { run } = await makeRun(store);
    expect(equals(ActionRunSchema, (await store.in("acme").runAdmin.get(run.id)).value, run)).toBe(
      true,
    );
    await store.in("acme").documents.project.delete(ALPHA, () => {});
    expect(await store.actionRuns.backlog()).toEqual({ pending: 0 });
  });
}

function query(changes: Partial<DocumentQuery>): DocumentQuery {
  const order = { field: "create_time", direction: "desc" } as const;
  const budget = createEndlessBudget();
  return { parentIds: [ALPHA], order, limit: 50, now: START, budget, ...changes };
}

function listAll(store: Store, changes: Partial<DocumentQuery>, limit?: number): Promise<string[]> {
  return readAll<OrderPlace>(async (page) => {
    const { values, next } = await store.actionRuns.list(query({ ...changes, ...page }));
    return { ids: values.map(({ id }) => id), next };
  }, limit);
}
