import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { ProjectSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { retryRun } from "../../../src/domain/actions/action-run.ts";
import { RunSlots } from "../../../src/domain/actions/run-slots.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { createDueRun, createWebhook } from "../../outbox/outbox.ts";
import { ALPHA, BETA, createSmallDataset, GAMMA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const START = new Date("2026-07-19T19:00:00Z");
const LEASE_MS = 60_000;
const at = (ms: number) => new Date(START.getTime() + ms);
const URL = "https://hooks.example.com/";

/** Holds that runs are taken in turns, and that what has no slot keeps nobody waiting. */
export function actionTurnContract(scenario: Scenario): void {
  const data = createSmallDataset();
  let leases = 0;
  const claim = (ms: number, limit: number, slots: RunSlots = new RunSlots()) => {
    leases += 1;
    const lease = `turn-${leases}`;
    return { lease, now: at(ms), leaseEnd: at(ms + LEASE_MS), limit, slots };
  };
  const take = async (store: Store, ms: number, limit: number, slots?: RunSlots) => {
    const { runs } = await store.actionRuns.take(claim(ms, limit, slots));
    for (const { holder } of slots === undefined ? [] : runs) slots?.take(holder);
    return runs.map(({ run }) => run.actionId);
  };
  const makeDue = async (store: Store, id: string, count: number, projectId = ALPHA, url = URL) => {
    const action = await createWebhook(store, id, url, projectId);
    for (let n = 0; n < count; n += 1) await createDueRun(store, action, at(n));
    return action;
  };

  for (const limit of [1, 2, 3, 100]) {
    scenario(`actions of a project take turns, ${limit} at a time`, data, async (store) => {
      await makeDue(store, "busy", 6);
      await makeDue(store, "calm", 2);
      const got: string[] = [];
      for (let n = 0; got.length < 8 && n < 10; n += 1) got.push(...(await take(store, 9, limit)));
      expect(got).toEqual([..."bcbcbbbb"].map((it) => (it === "b" ? "busy" : "calm")));
    });
  }

  scenario("actions of an organization take turns across projects", data, async (store) => {
    for (const id of ["a1", "a2"]) await makeDue(store, id, 2);
    await makeDue(store, "b1", 3, BETA);
    expect(await take(store, 9, 9)).toEqual(["a1", "a2", "b1", "a1", "a2", "b1", "b1"]);
  });

  scenario("organizations take turns, however many projects one has", data, async (store) => {
    await makeDue(store, "a1", 2);
    await makeDue(store, "b1", 2, BETA);
    await makeDue(store, "g1", 3, GAMMA);
    expect(await take(store, 9, 9)).toEqual(["a1", "g1", "b1", "g1", "a1", "g1", "b1"]);
  });

  scenario("one who comes late has its turn before those who had one", data, async (store) => {
    await makeDue(store, "a1", 20);
    await makeDue(store, "b1", 20, BETA);
    await take(store, 30, 5);
    await createDueRun(store, await createWebhook(store, "g1", URL, GAMMA), at(31));
    expect((await take(store, 40, 2)).includes("g1")).toBe(true);
  });

  scenario("what has no slot is passed over and is due all the same", data, async (store) => {
    const limits = { total: 9, organization: 5, project: 3, host: 4, receiver: 2 };
    const cases: readonly (readonly [string, () => Promise<unknown>, readonly string[]])[] = [
      ["a receiver", () => makeDue(store, "a1", 9), ["a1", "a1"]],
      ["a project", () => makeDue(store, "a2", 9, ALPHA, "https://a2.example"), ["a2"]],
      ["a host", () => makeDue(store, "b1", 9, BETA), ["b1", "b1"]],
      ["what is full", () => makeDue(store, "g1", 9, GAMMA), []],
      ["an organization", () => makeDue(store, "b2", 9, BETA, "https://b2.example"), []],
      ["nothing", () => makeDue(store, "g2", 9, GAMMA, "https://g2.example"), ["g2", "g2"]],
      ["a project again", () => makeDue(store, "g3", 9, GAMMA, "https://g3.example:1"), ["g3"]],
    ];
    const slots = new RunSlots(limits);
    for (const [what, make, want] of cases) {
      await make();
      expect([what, await take(store, 9, 100, slots)]).toEqual([what, want]);
    }
    expect(await take(store, 9, 100, slots)).toEqual([]);
    expect((await store.actionRuns.nextDueTime())?.getTime()).toBeLessThanOrEqual(at(9).getTime());
  });

  scenario("a slot that is given back is taken by whoever waits longest", data, async (store) => {
    const slots = new RunSlots({
      ...{ total: 9, organization: 9, project: 1, host: 9, receiver: 9 },
    });
    await makeDue(store, "a1", 3);
    await makeDue(store, "a2", 3);
    const { runs } = await store.actionRuns.take(claim(9, 9, slots));
    const [first] = runs;
    if (first === undefined) throw new Error("nothing was taken");
    expect(runs.map(({ run }) => run.actionId)).toEqual(["a1"]);
    expect(first.holder).toEqual({
      ...{ organizationId: "acme", projectId: ALPHA, host: "hooks.example.com", slots: 1 },
    });
    slots.take(first.holder);
    expect(await take(store, 10, 9, slots)).toEqual([]);
    slots.give(first.holder);
    expect(await take(store, 11, 9, slots)).toEqual(["a2"]);
  });

  scenario("many who wait for one host do not hide others, claim by claim", data, async (store) => {
    const slots = new RunSlots({
      ...{ total: 9, organization: 9, project: 9, host: 1, receiver: 1 },
    });
    await makeDue(store, "first", 1);
    expect(await take(store, 1, 9, slots)).toEqual(["first"]);
    for (let n = 0; n < 150; n += 1) {
      const id = `p-${n}`;
      const organizationId = n < 75 ? "acme" : "other";
      await store
        .in(organizationId)
        .documents.project.create(create(ProjectSchema, { id, organizationId }));
      await makeDue(store, `action-${n}`, 1, id);
    }
    for (let n = 0; n < 40; n += 1) await makeDue(store, `one-${n}`, 1, GAMMA);
    await createDueRun(
      store,
      await createWebhook(store, "victim", "https://victim.example", GAMMA),
      at(5),
    );
    const got: string[] = [];
    let count = 0;
    let isCut = true;
    for (; count < 20 && got.length === 0; count += 1) {
      const taken = await store.actionRuns.take(claim(100 + count, 9, slots));
      got.push(...taken.runs.map(({ run }) => run.actionId));
      ({ isCut } = taken);
    }
    expect(got).toEqual(["victim"]);
    expect(count).toBeLessThan(8);
    expect(isCut || count > 1).toBe(true);
  });

  scenario("turns go with their project, and with their last run", data, async (store) => {
    await makeDue(store, "a1", 2);
    await makeDue(store, "g1", 1, GAMMA);
    await store.in("acme").documents.project.delete(ALPHA, () => {});
    expect(await take(store, 9, 9)).toEqual(["g1"]);
    expect(await store.actionRuns.nextDueTime()).toEqual(at(9 + LEASE_MS));
    await store.in("other").documents.project.delete(GAMMA, () => {});
    expect(await store.actionRuns.nextDueTime()).toBeUndefined();
  });

  scenario("a retry waits for its time beside what is due", data, async (store) => {
    await makeDue(store, "a1", 2);
    const [taken] = (await store.actionRuns.take(claim(9, 1))).runs;
    if (taken === undefined) throw new Error("nothing was taken");
    const run = retryRun(taken.run, "STATUS_500", at(5_000));
    await store.actionRuns.finish(`turn-${leases}`, { run, now: at(10) });
    expect(await take(store, 11, 9)).toEqual(["a1"]);
    expect(await store.actionRuns.nextDueTime()).toEqual(at(5_000));
    expect(await take(store, 4_999, 9)).toEqual([]);
    expect(await take(store, 5_000, 9)).toEqual(["a1"]);
  });
}
