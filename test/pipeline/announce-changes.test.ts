import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { type Webhook, WebhookSchema } from "../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { ChangeAnnouncer } from "../../src/api/steps/announce-changes.ts";
import type { NewActionRun } from "../../src/domain/actions/action-run.ts";
import { MOST_RUN_BYTES } from "../../src/domain/actions/run-room.ts";
import { WorkBudget } from "../../src/domain/base/work-budget.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { createEvent } from "../storage/small-dataset.ts";

/** Creates a budget by a clock that goes on by some milliseconds at each look. */
function createBudget(step: number): WorkBudget {
  let now = 0;
  const clock = () => {
    now += step;
    return now;
  };
  return new WorkBudget({ clock, pause: async () => {} });
}

test.each([
  ["in 100 milliseconds all filters are tested", 2.5, 0],
  ["past that, webhooks are sent the change without a test", 5, 10],
])("%s", async (_, step, count) => {
  const webhooks = Array.from({ length: 20 }, (_, number) =>
    create(WebhookSchema, { id: `hook-${number}`, projectId: "one", filter: "id: other" }),
  );
  const sent: unknown[] = [];
  const unit = {
    webhooks: { list: async () => webhooks },
    actionRuns: {
      countBytes: async () => 0,
      create: async (runs: readonly unknown[]) => void sent.push(...runs),
    },
  };
  const announcer = new ChangeAnnouncer({ accessVersion: () => 1 }, () => "run-1");
  await announcer.announce({
    store: unit as unknown as Store,
    organization: undefined as never,
    changes: [{ kind: "event", before: undefined, after: createEvent("e", {}), revision: 1 }],
    ...{ now: new Date(), trace: undefined, budget: createBudget(step) },
  });
  expect(sent).toHaveLength(count);
});

test.each([
  [MOST_RUN_BYTES, ActionRunState.PENDING],
  [MOST_RUN_BYTES + 1, ActionRunState.FAILED],
])("while runs of %i bytes are stored, new ones are in the state %i", async (bytes, state) => {
  const sent: NewActionRun[] = [];
  const webhook = create(WebhookSchema, { id: "hook", projectId: "one" });
  const unit = {
    webhooks: { list: async () => [webhook] },
    actionRuns: {
      countBytes: async () => bytes,
      create: async (runs: readonly NewActionRun[]) => void sent.push(...runs),
    },
  };
  const announcer = new ChangeAnnouncer({ accessVersion: () => 1 }, () => "run-1");
  const event = createEvent("event-1", { projectId: "one" });
  const isAnnounced = await announcer.announce({
    store: unit as unknown as Store,
    organization: undefined as never,
    changes: [{ kind: "event", before: undefined, after: event, revision: 1 }],
    ...{ now: new Date(), trace: undefined, budget: createBudget(0) },
  });
  expect(isAnnounced).toBe(true);
  expect(sent.map(({ run }) => [run.state, run.endTime !== undefined])).toEqual([
    [state, state === ActionRunState.FAILED],
  ]);
  // It can be replayed.
  expect(sent[0]?.payload?.kind).toBe("webhook");
});

test("webhooks that were listed before a change of webhooks are not used after it", async () => {
  let version = 1;
  const announcer = new ChangeAnnouncer({ accessVersion: () => version }, () => "run-1");
  /** Announces a change in a project whose webhooks are those of `list`. */
  const change = (projectId: string, list: () => Promise<Webhook[]>) => {
    const actionRuns = { countBytes: async () => 0, create: async () => {} };
    const unit = { webhooks: { list }, actionRuns };
    const event = createEvent("event-1", { projectId });
    return announcer.announce({
      store: unit as unknown as Store,
      organization: undefined as never,
      changes: [{ kind: "event", before: undefined, after: event, revision: 1 }],
      ...{ now: new Date(), trace: undefined, budget: createBudget(0) },
    });
  };
  let release = () => {};
  const held = new Promise<Webhook[]>((resolve) => {
    release = () => resolve([]);
  });
  const early = change("one", () => held);
  version = 2;
  expect(await change("two", async () => [])).toBe(false);
  release();
  expect(await early).toBe(false);
  const webhook = create(WebhookSchema, { id: "hook", projectId: "one", url: "https://a.example" });
  expect(await change("one", async () => [webhook])).toBe(true);
});
