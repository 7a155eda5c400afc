import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { UpdatePageComponentRequestSchema } from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import {
  CreateRulesetRequestSchema,
  CreateRulesetResponseSchema,
} from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { metadataOf, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { readComponent } from "./page-components.ts";

const marquee = await useMarquee();

const call = (path: string, body: Uint8Array) =>
  send("POST", `${marquee.url}/${path}`, {
    token: marquee.tokens.owner,
    headers: { "content-type": "application/proto", "connect-protocol-version": "1" },
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
  test(`${what} is refused, and the component can still be read`, async () => {
    const before = await readComponent(marquee, ID);
    const got = await update(value, "visibility", "text");
    expect([got.status, reasonOf(got)]).toEqual([400, reason]);
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
  test(`a moment of ${Object.values(contentStartTime).join(" s and ")} is refused`, async () => {
    const message = create(CreateRulesetRequestSchema, {
      videoProtectionRuleset: {
        projectId: "worldcup",
        name: "R",
        applicability: { case: "target", value: { contentStartTime } },
      },
    });
    const got = await call(rulesets, toBinary(CreateRulesetRequestSchema, message));
    expect([got.status, reasonOf(got)]).toEqual([400, "VALUE_INVALID"]);
    const field = "video_protection_ruleset.target.content_start_time";
    expect(metadataOf(got)?.field).toBe(field);
  });
}

test("a ruleset is created and answered in binary form", async () => {
  const message = create(CreateRulesetRequestSchema, {
    videoProtectionRuleset: { projectId: "worldcup", name: "R", priority: -(2n ** 63n) },
  });
  const response = await fetch(`${marquee.url}/${rulesets}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${marquee.tokens.owner}`,
      "content-type": "application/proto",
      "connect-protocol-version": "1",
    },
    body: new Uint8Array(toBinary(CreateRulesetRequestSchema, message)),
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "application/proto",
  ]);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { videoProtectionRuleset } = fromBinary(CreateRulesetResponseSchema, bytes);
  expect(videoProtectionRuleset).toMatchObject({ name: "R", priority: -(2n ** 63n) });
});
