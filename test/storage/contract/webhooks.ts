import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
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
}
