import {
  create,
  type DescMessage,
  type MessageShape,
  toJson,
  toJsonString,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { ListEventsResponseSchema } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { GetPageResponseSchema } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { attachJsonText } from "../../../src/domain/messages/json-text.ts";
import { writeJson } from "../../../src/http/connect/write-json.ts";
import { messageOf } from "../../harness/message-of.ts";
import { nestedIn } from "../../harness/nested-in.ts";

/** The last has fields whose zero value is written. */
const SCHEMAS: readonly DescMessage[] = [
  ListEventsResponseSchema,
  GetPageResponseSchema,
  VideoProtectionRulesetSchema,
];

describe("a message without a text is written as the library does", () => {
  for (const schema of SCHEMAS) {
    test(schema.typeName, () => {
      fc.assert(
        fc.property(messageOf(schema), (message) => {
          expect(toText(schema, message)).toBe(toJsonString(schema, message));
        }),
        { numRuns: 100 },
      );
    });
  }
});

describe("a message with texts inside is what it would be without", () => {
  for (const schema of SCHEMAS) {
    test(schema.typeName, () => {
      let attached = 0;
      fc.assert(
        fc.property(messageOf(schema), fc.infiniteStream(fc.boolean()), (message, choices) => {
          const want = toJsonString(schema, message);
          for (const inner of nestedIn(reflect(schema, message))) {
            if (inner.desc === schema || !choices.next().value) continue;
            attachJsonText(inner.message, toJsonString(inner.desc, inner.message));
            attached += 1;
          }
          expect(toText(schema, message)).toBe(want);
        }),
        { numRuns: 100 },
      );
      expect(attached).toBeGreaterThan(10);
    });
  }
});

describe("a text", () => {
  const event = create(EventSchema, { id: "a" });
  attachJsonText(event, '{"id" : "as it is"}');

  test("is put into a list to the letter", () => {
    const message = create(ListEventsResponseSchema, {
      events: [create(EventSchema, { id: "b" }), event],
      nextPageToken: "n",
    });
    const want = '{"events":[{"id":"b"},{"id" : "as it is"}],"nextPageToken":"n"}';
    expect(toText(ListEventsResponseSchema, message)).toBe(want);
  });

  test("is the whole answer where the answer has one", () => {
    expect(toText(EventSchema, event)).toBe('{"id" : "as it is"}');
  });
});

function toText<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): string {
  return writeJson(schema, message);
}

test("the generated messages are of every form", () => {
  const seen = new Set<string>();
  for (const message of fc.sample(messageOf(GetPageResponseSchema), 300)) {
    const json = toJson<DescMessage>(GetPageResponseSchema, message) as Record<string, unknown>;
    for (const name of Object.keys(json)) seen.add(name);
  }
  expect([...seen].sort()).toEqual(["components", "dropped", "object", "page"]);
});
