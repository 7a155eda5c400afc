import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { EventService } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import {
  RecordOutcome,
  RecordService,
  WriteMode,
} from "../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import { PageService } from "../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import {
  PageComponentService,
  UpdatePageComponentRequestSchema,
} from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import {
  CreateRulesetRequestSchema,
  CreateRulesetResponseSchema,
} from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { connectHeaders } from "../harness/calls.ts";
import { metadataOf, rejection, send } from "../harness/http.ts";
import { authorize } from "../harness/transports.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { readComponent } from "./pages/pages.ts";

const marquee = await useMarquee();

const call = (path: string, body: Uint8Array) =>
  send("POST", `${marquee.url}/${path}`, {
    headers: connectHeaders(marquee.tokens.owner, "application/proto"),
    body,
  });

type Update = NonNullable<
  MessageInitShape<typeof UpdatePageComponentRequestSchema>["pageComponentUpdate"]
>;
const ID = "text-home-notice";
const update = (pageComponentUpdate: Update, ...paths: string[]) => {
  const message = create(UpdatePageComponentRequestSchema, {
    pageComponentId: ID,
    pageComponentUpdate,
    updateMask: { paths },
  });
  const path = "svc.studio.ott.page_component.v2.PageComponentService/UpdatePageComponent";
  return call(path, toBinary(UpdatePageComponentRequestSchema, message));
};

const values: readonly (readonly [what: string, update: Update, path: string, reason: string])[] = [
  ["an unknown enum number", { visibility: 99 as 1 }, "visibility", "ENUM_UNKNOWN"],
  [
    "an unknown enum number in a list",
    { data: { case: "bannerCollection", value: { gradients: [1, -7 as 1] } } },
    "banner_collection.gradients[1]",
    "ENUM_UNKNOWN",
  ],
  [
    "a NaN in a free object",
    { data: { case: "text", value: { a: [{ b: Number.NaN }] } } },
    "text",
    "VALUE_INVALID",
  ],
  [
    "an infinite number in a free object of a member",
    { data: { case: "rail", value: { card: { a: Number.NEGATIVE_INFINITY } } } },
    "rail.card",
    "VALUE_INVALID",
  ],
];
for (const [what, value, path, reason] of values) {
  test(`${what} is rejected, and the component can still be read`, async () => {
    const before = await readComponent(marquee, ID);
    const got = await update(value, "visibility", "text");
    expect(rejection(got)).toEqual([400, reason]);
    expect(metadataOf(got)?.field).toBe(`page_component_update.${path}`);
    expect((await readComponent(marquee, ID)).text).toBe(before.text);
  });
}

test("the binary form changes what the JSON form shows", async () => {
  const data = { case: "text" as const, value: { a: [null, 1.5, { "": false }] } };
  expect((await update({ name: "B", data }, "name", "text")).status).toBe(200);
  const got = (await readComponent(marquee, ID)).json.page_components[0];
  expect([got.name, got.data]).toEqual(["B", data.value]);
});

const rulesets = "svc.studio.streaming.ruleset.v2.RulesetService/CreateRuleset";
const TIMES = [
  { seconds: -62_135_596_801n },
  { seconds: 253_402_300_800n },
  { seconds: 0n, nanos: -1 },
  { seconds: 0n, nanos: 1_000_000_000 },
];
for (const contentStartTime of TIMES) {
  test(`a moment of ${Object.values(contentStartTime).join(" s and ")} is rejected`, async () => {
    const message = create(CreateRulesetRequestSchema, {
      videoProtectionRuleset: {
        projectId: "worldcup",
        name: "R",
        applicability: { case: "target", value: { contentStartTime } },
      },
    });
    const got = await call(rulesets, toBinary(CreateRulesetRequestSchema, message));
    expect(rejection(got)).toEqual([400, "VALUE_INVALID"]);
    const field = "video_protection_ruleset.target.content_start_time";
    expect(metadataOf(got)?.field).toBe(field);
  });
}

test("a ruleset is created and returned in binary form", async () => {
  const message = create(CreateRulesetRequestSchema, {
    videoProtectionRuleset: { projectId: "worldcup", name: "R", priority: -(2n ** 63n) },
  });
  const response = await fetch(`${marquee.url}/${rulesets}`, {
    ...{ method: "POST", headers: connectHeaders(marquee.tokens.owner, "application/proto") },
    body: new Uint8Array(toBinary(CreateRulesetRequestSchema, message)),
  });
  const type = response.headers.get("content-type");
  expect([response.status, type]).toEqual([200, "application/proto"]);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { videoProtectionRuleset } = fromBinary(CreateRulesetResponseSchema, bytes);
  expect(videoProtectionRuleset).toMatchObject({ name: "R", priority: -(2n ** 63n) });
});

test("fields that a message in binary form does not have are not stored", async () => {
  const data = new BinaryWriter().string("unknown").finish();
  const $unknown = [{ no: 1_000, wireType: WireType.LengthDelimited, data }];
  const contentStartTime = Object.assign(timestampNow(), { $unknown });
  const ruleset = create(VideoProtectionRulesetSchema, {
    ...{ projectId: "worldcup", name: "R" },
    applicability: { case: "target", value: { contentStartTime } },
  });
  const message = create(CreateRulesetRequestSchema, {
    videoProtectionRuleset: Object.assign(ruleset, { $unknown }),
  });
  const body = toBinary(CreateRulesetRequestSchema, message);
  expect(String(Buffer.from(body)).split("unknown")).toHaveLength(3);
  const got = await call(rulesets, body);
  expect([got.status, got.text.split("unknown").length]).toEqual([200, 1]);
});

const openTransport = () =>
  createGrpcTransport({
    baseUrl: marquee.url,
    interceptors: [authorize(marquee.tokens.owner)],
  });

test("a page is made, filled and put in another order over gRPC", async () => {
  const transport = openTransport();
  const pages = createClient(PageService, transport);
  const components = createClient(PageComponentService, transport);
  const { page } = await pages.createPage({ page: { projectId: "worldcup", slug: "grpc" } });
  const pageId = page?.id ?? "";
  const pageComponent = {
    ...{ projectId: "worldcup", type: "text" },
    data: { case: "text" as const, value: { a: 1 } },
  };
  const requestId = "grpc-1";
  const first = await components.createPageComponent({ pageComponent, pageId, requestId });
  const again = await components.createPageComponent({ pageComponent, pageId, requestId });
  expect(again).toEqual(first);
  const second = await components.createPageComponent({ pageComponent, pageId, position: 0 });
  const ids = [first, second].map((it) => it.pageComponent?.id ?? "");
  const ordered = await pages.reorderPageComponents({ pageId, pageComponentIds: ids });
  expect(ordered.pageComponentIds).toEqual(ids);
  const read = await components.getPageComponent({ pageComponentId: ids[1] ?? "" });
  expect([read.pageId, read.position]).toEqual([pageId, 1]);

  const thrown = await pages
    .reorderPageComponents({ pageId, pageComponentIds: [...ids, "nobody"] })
    .catch(ConnectError.from);
  if (!(thrown instanceof ConnectError)) throw new Error("it was not rejected");
  expect(thrown.code).toBe(Code.InvalidArgument);
  expect(thrown.findDetails(ErrorInfoSchema)).toMatchObject([
    { reason: "ORDER_INCOMPLETE", metadata: { unknown: "nobody", missing: "", repeated: "" } },
  ]);
});

test("content as deep as it may be is read by a client of the binary form", async () => {
  const events = createClient(EventService, openTransport());
  const fields = JSON.parse(`${'{"a":'.repeat(30)}1${"}".repeat(30)}`);
  const { event } = await events.createEvent({ event: { projectId: "worldcup", fields } });
  const list = await events.listEvents({ projectId: "worldcup", filter: `id: "${event?.id}"` });
  expect(list.events).toEqual([event]);
});

test("an unknown enum number in a record rejects this record alone", async () => {
  const { writeRecords } = createClient(RecordService, openTransport());
  const records = [99 as 1, 1 as const].map((visibility, index) => {
    const value = { id: `numbered-${index}`, projectId: "worldcup", visibility };
    return { resource: { case: "event" as const, value } };
  });
  const { results } = await writeRecords({ projectId: "worldcup", records, mode: WriteMode.EACH });
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["numbered-0", RecordOutcome.REJECTED],
    ["numbered-1", RecordOutcome.CREATED],
  ]);
  const { reason, field } = results[0]?.error ?? {};
  expect([reason, field]).toEqual(["ENUM_UNKNOWN", "event.visibility"]);
});
