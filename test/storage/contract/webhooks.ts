import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { RunSlots } from "../../../src/domain/actions/run-slots.ts";
import { createImportDelivery } from "../../../src/domain/webhooks/delivery.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds the reads of webhooks by announcements. */
export function webhookContract(scenario: Scenario): void {
  scenario("webhooks are listed by id", createSmallDataset(), async (store) => {
    const { webhook } = store.in("acme").documents;
    for (const [id, projectId] of [
      ["b", ALPHA],
      ["a", ALPHA],
      ["c", BETA],
    ] as const) {
      const url = "https://example.com";
      await webhook.create(create(WebhookSchema, { id, projectId, url }), { secret: "s" });
    }
    expect((await store.webhooks.list(ALPHA)).map((it) => it.id)).toEqual(["a", "b"]);
    expect((await store.webhooks.list(BETA)).map((it) => it.id)).toEqual(["c"]);
  });

  scenario("a run is taken with its webhook", createSmallDataset(), async (store) => {
    const { webhook: webhooks } = store.in("acme").documents;
    const url = "https://hooks.example.com/";
    const now = new Date(0);
    for (const disabled of [false, true]) {
      const webhook = create(WebhookSchema, {
        id: `hook-${disabled}`,
        projectId: ALPHA,
        url,
        disabled,
      });
      await webhooks.create(webhook, { secret: "s" });
      const run = createImportDelivery(webhook, 1, { id: `run-${disabled}`, now });
      await store.actionRuns.create([run]);
      const claim = { lease: webhook.id, now, limit: 1, slots: new RunSlots() };
      const leaseEnd = new Date(60_000);
      const { runs } = await store.actionRuns.take({ ...claim, leaseEnd });
      expect(runs.map(({ sender }) => sender)).toEqual([
        { target: { kind: "webhook", url }, secret: "s", isDisabled: disabled },
      ]);
    }
  });
}
