import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type Webhook, WebhookSchema } from "../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { ChangeAnnouncer } from "../../src/api/steps/announce-changes.ts";
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
    actionRuns: { create: async (runs: readonly unknown[]) => void sent.push(...runs) },
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

test("webhooks that were listed before a change of webhooks are not used after it", async () => {
  let version = 1;
  const announcer = new ChangeAnnouncer({ accessVersion: () => version }, () => "run-1");
  /** Announces a change in a project whose webhooks are those of `list`. */
  const change = (projectId: string, list: () => Promise<Webhook[]>) => {
    const unit = { webhooks: { list }, actionRuns: { create: async () => {} } };
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
