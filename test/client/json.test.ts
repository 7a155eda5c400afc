import { create, type DescMessage, type JsonObject } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, expectTypeOf, test } from "vitest";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { ItemSchema } from "../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { ConnectCallSchema } from "../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { AnnotationSchema } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import {
  createDeliveryClient,
  createStudioClient,
  toJson,
} from "../../packages/client/src/index.ts";
import type { ReleaseStateName, WebhookEventName } from "../../packages/client/src/studio.ts";
import { findMethods } from "../api/methods.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

test("a page as JSON survives JSON.stringify, with the members of the response", async () => {
  const { page } = createDeliveryClient({ url: marquee.url, key: marquee.keys.public });
  const response = await page.getPage({
    slug: "match",
    parameters: { id: "match-2026-104" },
    includeItems: true,
  });
  const json = toJson(response);
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
  expect(JSON.stringify(json)).not.toContain("$typeName");
  expect(json.page?.title).toEqual(response.page?.title);
  const { object } = json;
  if (object?.item.case !== "event") throw new Error("the page of a match is about a match");
  expect(object.item.value.startTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expectTypeOf(object.item.value.startTime).toEqualTypeOf<string | undefined>();
  expect(json.components.map(({ component }) => component?.data.case)).toEqual(
    response.components.map(({ component }) => component?.data.case),
  );
});

test("times, durations, 64-bit numbers and bytes are strings", () => {
  const startTime = timestampFromDate(new Date("2026-07-19T19:00:00Z"));
  expect(toJson(create(EventSchema, { startTime })).startTime).toBe("2026-07-19T19:00:00Z");
  const annotation = create(AnnotationSchema, { offset: durationFromMs(1_500), order: 5n });
  expect(toJson(annotation)).toMatchObject({ offset: "1.500s", order: "5" });
  const call = create(ConnectCallSchema, { descriptorSet: Uint8Array.of(0, 255) });
  expect(toJson(call).descriptorSet).toBe("AP8=");
});

test("the fields of content stay as they are, whatever their names", () => {
  const fields = {
    $ref: 1,
    a: [null, { b: true }],
    time: { $typeName: "google.protobuf.Timestamp", seconds: "5" },
  };
  const json = toJson(create(EventSchema, { fields }));
  expect(json.fields).toEqual({ $ref: 1, a: [null, { b: true }], time: { seconds: "5" } });
  expectTypeOf(json.fields).toEqualTypeOf<JsonObject | undefined>();
});

test("what is unset is left out, because a page's props may not be undefined", () => {
  const { value } = toJson({ value: create(ItemSchema) });
  expect(value).toStrictEqual({ item: {} });
});

test("enums of responses are names, also in lists and below other messages", async () => {
  const webhook = { events: ["WEBHOOK_EVENT_CREATED", "WEBHOOK_EVENT_DELETED"] };
  const release = { state: "RELEASE_STATE_OPEN", conflictPolicy: 99 };
  const responses: Readonly<Record<string, unknown>> = {
    ListWebhooks: { webhooks: [webhook] },
    GetRelease: { release },
  };
  const studio = createStudioClient({
    url: "http://marquee.example",
    accessToken: "mqa_x",
    fetch: async (url) => Response.json(responses[String(url).split("/").at(-1) ?? ""]),
  });
  const { webhooks } = toJson(await studio.webhook.listWebhooks({}));
  expect(webhooks[0]?.events).toEqual(webhook.events);
  expectTypeOf(webhooks[0]?.events).toEqualTypeOf<WebhookEventName[] | undefined>();
  const response = await studio.release.getRelease({ releaseId: "a" });
  if (response.release === undefined) throw new Error("the response has a release");
  const { state, conflictPolicy } = toJson(response.release);
  expect(state).toBe("RELEASE_STATE_OPEN");
  expectTypeOf(state).toEqualTypeOf<ReleaseStateName>();
  // A later version of Marquee has more values.
  expect(conflictPolicy).toBe(99);
});

test("no response has a message that would need another form", async () => {
  const types = new Set<string>();
  const chosen: string[] = [];
  const visit = (message: DescMessage) => {
    if (types.has(message.typeName)) return;
    types.add(message.typeName);
    if (message.typeName.startsWith("google.protobuf.")) return;
    for (const { message: below, oneof, enum: desc } of message.fields) {
      if (below !== undefined) visit(below);
      if (oneof !== undefined && desc !== undefined) chosen.push(desc.typeName);
    }
  };
  for (const { output } of await findMethods()) visit(output);
  const known = ["Duration", "Struct", "Timestamp", "Value"].map((it) => `google.protobuf.${it}`);
  const got = [...types].filter((it) => it.startsWith("google.protobuf."));
  expect(got.sort()).toEqual(known);
  // The enum of a oneof would be below `value`.
  expect(chosen).toEqual([]);
});
