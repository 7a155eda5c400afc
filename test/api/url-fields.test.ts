import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { FieldBehavior } from "../../gen/google/api/field_behavior_pb.ts";
import { hasBehavior } from "../../src/domain/validation/field-behavior.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { sampleOf } from "./method-samples.ts";
import { findMethods, type JsonMessage, sendRequest, toProtocolRequests } from "./methods.ts";
import { blamedField } from "./studio.ts";

const marquee = await useMarquee();

/** Addresses that nothing may be loaded from or lead to. */
const REJECTED = [
  "javascript:alert(1)",
  "data:text/html,<script>",
  "//evil.example/a.png",
  "ftp://media.example/a.png",
  "a.png",
  "https://",
  "https://a b",
];

/** The fields on the way to an address; the last one is its own. */
type Way = readonly [DescField, ...DescField[]];

/** Finds the ways to all address fields of a message, by their names alone. */
function findWays(schema: DescMessage, seen: readonly DescMessage[] = []): Way[] {
  return schema.fields.flatMap((field): Way[] => {
    if (hasBehavior(field, FieldBehavior.OUTPUT_ONLY)) return [];
    if (field.message === undefined) {
      const isText = field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
      return isText && /(^|_)(url|link|href|uri)$/.test(field.name) ? [[field]] : [];
    }
    if (seen.includes(field.message)) return [];
    return findWays(field.message, [...seen, schema]).map((way): Way => [field, ...way]);
  });
}

/** Makes a message of the fields on the way, with what is required beside them. */
function toJson([field, ...rest]: readonly DescField[], address: string): JsonMessage {
  if (field === undefined) return {};
  const value =
    field.message === undefined
      ? address
      : { ...requiredOf(field.message), ...toJson(rest, address) };
  return { [field.jsonName]: field.fieldKind === "list" ? [value] : value };
}

function requiredOf(schema: DescMessage): JsonMessage {
  const fields = schema.fields.filter((it) => hasBehavior(it, FieldBehavior.REQUIRED));
  return Object.fromEntries(
    fields.flatMap((it) =>
      it.fieldKind === "scalar"
        ? [[it.jsonName, it.scalar === ScalarType.BYTES ? "AA==" : "x"]]
        : [],
    ),
  );
}

function pathOf(way: Way): string {
  return way.map((it) => it.name + (it.fieldKind === "list" ? "[0]" : "")).join(".");
}

const WRITES = (await findMethods()).filter(
  ({ parent, name }) => parent.typeName.startsWith("svc.studio.") && /^(Create|Update)/.test(name),
);
const CASES = WRITES.flatMap((method) => findWays(method.input).map((way) => ({ method, way })));

test("there are addresses to try", () => {
  const found = new Set(CASES.map(({ way }) => way.at(-1)?.toString()));
  expect([...found].sort()).toEqual([
    "field svc.cda.cms.creative_work.v1.CreativeWork.poster_image_url",
    "field svc.cda.cms.entity.v1.Entity.poster_image_url",
    "field svc.cda.cms.event.v1.Event.poster_image_url",
    "field svc.cda.ott.banner_collection.v2.Banner.link",
    "field svc.cda.ott.banner_collection.v2.BannerImage.url",
    "field svc.studio.annotations.action.v1.ConnectCall.base_url",
    "field svc.studio.annotations.action.v1.Webhook.url",
    "field svc.studio.cms.webhook.v1.Webhook.url",
    "field svc.studio.ott.page_component.v2.CreativeWorkPlayer.background_image_url",
    "field svc.studio.ott.page_component.v2.EventPlayer.background_image_url",
    "field svc.studio.ott.page_component.v2.Offers.background_asset_url",
    "field svc.studio.ott.page_component.v2.PlayerProfile.fallback_image_url",
    "field svc.studio.streaming.video.v1.Video.playlist_url",
  ]);
});

async function toMessage(method: DescMethod, way: Way, address: string): Promise<JsonMessage> {
  const { pageComponentUpdate: _, ...message } = await sampleOf(marquee, method);
  const [resource, member] = way;
  const sent = toJson(way, address)[resource.jsonName] as JsonMessage;
  const isComponent = member?.oneof?.name === "data";
  const about = { projectId: "worldcup", ...(isComponent && { type: member.name }) };
  return {
    ...message,
    [resource.jsonName]: { ...sent, ...about },
    ...("updateMask" in message && {
      updateMask: `${isComponent ? "type," : ""}${member?.jsonName}`,
    }),
  };
}

describe("an address that is not http or https is rejected with its path", () => {
  for (const { method, way } of CASES) {
    test(`by ${method.name}: ${pathOf(way)}`, async () => {
      for (const address of REJECTED) {
        const message = await toMessage(method, way, address);
        for (const request of toProtocolRequests(method, message)) {
          const got = await sendRequest(marquee.url, request, marquee.tokens.owner);
          expect([address, got.status, got.text]).toEqual([
            address,
            400,
            expect.stringContaining(pathOf(way)),
          ]);
          if (request.protocol === "REST") expect(blamedField(got)).toBe(pathOf(way));
        }
      }
    });
  }
});
