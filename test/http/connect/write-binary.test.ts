import {
  create,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
  toJsonString,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Event, EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { ListEventsResponseSchema } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { GetPageResponseSchema } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { attachJsonText } from "../../../src/domain/messages/json-text.ts";
import { writeJsonAsBinary } from "../../../src/http/connect/json-to-binary.ts";
import { WireWriter } from "../../../src/http/connect/wire-writer.ts";
import { writeBinary } from "../../../src/http/connect/write-binary.ts";
import { messageOf } from "../../harness/message-of.ts";
import { nestedIn } from "../../harness/nested-in.ts";

const SCHEMAS: readonly DescMessage[] = [
  ListEventsResponseSchema,
  CreativeWorkSchema,
  GetPageResponseSchema,
  VideoProtectionRulesetSchema,
];

describe("the JSON of a message is written as the library writes the message", () => {
  for (const schema of SCHEMAS) {
    test(schema.typeName, () => {
      fc.assert(
        fc.property(messageOf(schema), (message) => {
          const json = toJson(schema, message);
          expect(convert(schema, json)).toEqual(toHex(toBinary(schema, fromJson(schema, json))));
        }),
        { numRuns: 50 },
      );
    });
  }
});

describe("a message with texts inside is what it would be without", () => {
  for (const schema of SCHEMAS) {
    test(schema.typeName, () => {
      fc.assert(
        fc.property(messageOf(schema), fc.infiniteStream(fc.boolean()), (message, choices) => {
          // Once through JSON, in which some values are equal that the binary format tells apart.
          const want = toBinary(schema, fromJson(schema, toJson(schema, message)));
          for (const inner of nestedIn(reflect(schema, message))) {
            if (inner.desc === schema || !choices.next().value) continue;
            attachJsonText(inner.message, toJsonString(inner.desc, inner.message));
          }
          const got = writeBinary(schema, fromBinary(schema, want), {});
          expect(toHex(got)).toEqual(toHex(want));
          expect(toHex(writeBinary(schema, message, {}))).toEqual(toHex(want));
        }),
        { numRuns: 50 },
      );
    });
  }
});

test("a text is what is written, not the message that keeps it", () => {
  const event = create(EventSchema, { id: "a" });
  attachJsonText(event, '{"id":"b"}');
  const list = create(ListEventsResponseSchema, { events: [event], nextPageToken: "n" });
  const { events, nextPageToken } = fromBinary(
    ListEventsResponseSchema,
    writeBinary(ListEventsResponseSchema, list, {}),
  );
  expect([events.map(({ id }) => id), nextPageToken]).toEqual([["b"], "n"]);
});

/** Values at the borders of what is written here and what by the library. */
const VALUES: readonly JsonValue[] = [
  ...[{ startTime: "1970-01-01T00:00:00Z" }, { startTime: "1969-12-31T23:59:59Z" }],
  ...[{ startTime: "9999-12-31T23:59:59Z" }, { startTime: "2026-06-11T20:00:00.000001Z" }],
  ...[{ startTime: "2026-06-11T22:00:00+02:00" }, { startTime: null }, { start_time: null }],
  ...[{ visibility: "VISIBILITY_UNSPECIFIED" }, { visibility: 2 }, { visibility: 77 }],
  ...[{ title: { en: "", "": "x", "10": "b", "9": "ü😀" } }, { title: {} }, { id: "" }],
  ...[{ entityIds: [] }, { entityIds: ["", "é".repeat(50), "a".repeat(300), "b".repeat(20_000)] }],
  { fields: { a: null, b: [null, [], {}, -0, 1e308, 0.1, true, false, ""], c: { d: { e: {} } } } },
  { fields: { long: "x".repeat(400_000), after: "😀".repeat(100_000) }, posterImageUrl: "u" },
];

describe("a JSON of an event is written as the library does", () => {
  for (const json of VALUES) {
    test(JSON.stringify(json).slice(0, 80), () => {
      const want = toBinary(EventSchema, fromJson(EventSchema, json) as Event);
      expect(convert(EventSchema, json)).toBe(toHex(want));
    });
  }
});

for (const json of [
  { unknown: 1 },
  { id: 1 },
  { entityIds: ["a", 1] },
  { startTime: "soon" },
  [],
]) {
  test(`${JSON.stringify(json)} is refused as the library refuses it`, () => {
    expect(() => convert(EventSchema, json)).toThrow();
  });
}

function convert(schema: DescMessage, json: JsonValue): string {
  const writer = new WireWriter();
  writeJsonAsBinary(schema, json, {}, writer);
  return toHex(writer.take());
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
