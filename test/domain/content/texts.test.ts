import { type DescMessage, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { BannerCollectionSchema } from "../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
import { CalendarV2Schema } from "../../../gen/svc/studio/ott/page_component/v2/calendar_pb.ts";
import { EventPlayerSchema } from "../../../gen/svc/studio/ott/page_component/v2/player_pb.ts";
import { RailSchema } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { ContentFilterSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { checkTexts } from "../../../src/domain/variables/message-texts.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";

const each = openCases("content/texts");

/** The messages of the tables. */
const SCHEMAS = {
  rail: RailSchema,
  calendar: CalendarV2Schema,
  banner: BannerCollectionSchema,
  player: EventPlayerSchema,
  filter: ContentFilterSchema,
} satisfies Record<string, DescMessage>;

const check = (name: keyof typeof SCHEMAS, message: JsonObject) => () =>
  checkTexts(SCHEMAS[name], fromJson<DescMessage>(SCHEMAS[name], message), "update");

each<[string, keyof typeof SCHEMAS, JsonObject]>("a text that can be read", (_, name, message) => {
  expect(check(name, message)).not.toThrow();
});

each<[string, keyof typeof SCHEMAS, JsonObject, string, string, string]>(
  "a text that cannot be read is rejected with its path and column",
  (_, name, json, reason, path, column) => {
    const field = `update.${path}`;
    expect(check(name, json)).toThrow(
      rejection(reason, undefined, {
        message: expect.stringContaining(`${field}: `),
        fields: [{ field, description: expect.stringMatching(/./) }],
        metadata: expect.objectContaining({ field, column }),
      }),
    );
  },
);

test("a filter past the limits is KQL_LIMIT", () => {
  const metadata = expect.objectContaining({ field: "update.filter" });
  expect(check("rail", { filter: `a: ${"b".repeat(9_000)}` })).toThrow(
    rejection("KQL_LIMIT", undefined, { metadata }),
  );
});
