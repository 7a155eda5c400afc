import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ActionRunState } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { RunSlots } from "../../../src/domain/actions/run-slots.ts";
import { ENGINE } from "../../harness/engine.ts";
import { type FreshStore, openFresh } from "../../harness/fresh-store.ts";
import { createDueRun, createWebhook } from "../../outbox/outbox.ts";
import { ALPHA, BETA, createSmallDataset, IN_ALPHA } from "../small-dataset.ts";

const NOW = new Date("2026-07-19T19:00:00Z");
const LATER = new Date(NOW.getTime() + 60_000);

describe.runIf(ENGINE === "postgres")("on PostgreSQL", () => {
  let fresh: FreshStore;
  beforeEach(async () => {
    fresh = await openFresh(createSmallDataset());
  });
  afterEach(() => fresh.close());

  for (const [name, scope] of [
    ["project", { projectIds: [ALPHA] }],
    ["organization", { organizationId: IN_ALPHA.organizationId }],
  ] as const) {
    test(`the outbox takes no run of a project while its ${name} is written, and takes it then`, async () => {
      const { store } = fresh;
      const action = await createWebhook(store, "hook", "https://hooks.example.com/");
      const { id } = await createDueRun(store, action, NOW);
      const other = await fresh.openAnother();
      const take = async (lease: string) => {
        const claim = { lease, limit: 1, now: NOW, leaseEnd: LATER, slots: new RunSlots() };
        return (await other.actionRuns.take(claim)).runs.map(({ run }) => run.id);
      };
      await store.transaction(scope, async (unit) => {
        // The lock goes with the first statement.
        await unit.in(IN_ALPHA.organizationId).documents.video.get("video-1");
        expect(await take("during")).toEqual([]);
      });
      expect(await take("after")).toEqual([id]);
    });
  }

  test("a run that is created while the last one of its organization ends keeps its turn", async () => {
    const { store } = fresh;
    const [hook, other] = [
      await createWebhook(store, "hook", "https://hooks.example.com/"),
      await createWebhook(store, "other", "https://hooks.example.com/", BETA),
    ];
    await createDueRun(store, hook, NOW);
    const another = await fresh.openAnother();
    const claim = { lease: "a", limit: 9, now: NOW, leaseEnd: LATER, slots: new RunSlots() };
    const [taken] = (await another.actionRuns.take(claim)).runs;
    if (taken === undefined) throw new Error("no run was taken");
    const run = { ...taken.run, state: ActionRunState.SUCCEEDED, nextAttemptTime: undefined };
    let finished: Promise<unknown> | undefined;
    const { id } = await store.transaction({ projectIds: [BETA] }, async (unit) => {
      const created = await createDueRun(unit, other, NOW);
      await unit.in(IN_ALPHA.organizationId).documents.project.get(BETA);
      finished = another.actionRuns.finish("a", { run, now: NOW });
      await setTimeout(200);
      return created;
    });
    expect(await finished).toBe(true);
    expect(await store.actionRuns.nextDueTime()).toEqual(NOW);
    const { runs } = await another.actionRuns.take(claim);
    expect(runs.map((it) => it.run.id)).toEqual([id]);
  });
});
