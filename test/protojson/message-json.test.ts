import {
  create,
  type DescMessage,
  fromBinary,
  type Message,
  toJson,
  toJsonString,
} from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GetEntityResponseSchema } from "../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { ListEventsResponseSchema } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { ItemSchema } from "../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { GetPageResponseSchema } from "../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { composeJson, type JsonParts, MessageJson } from "../../src/protojson/message-json.ts";
import { messageOf } from "../harness/message-of.ts";

/** The last has fields whose zero value is written. */
const SCHEMAS: readonly DescMessage[] = [
  ListEventsResponseSchema,
  GetPageResponseSchema,
  VideoProtectionRulesetSchema,
];

describe("a message is written as the library does, whichever messages inside are JSON", () => {
  for (const schema of SCHEMAS) {
    test(schema.typeName, () => {
      let replaced = 0;
      fc.assert(
        fc.property(messageOf(schema), fc.infiniteStream(fc.boolean()), (message, choices) => {
          const replace = (desc: DescMessage, value: unknown) => {
            if (desc.typeName.startsWith("google.") || !choices.next().value) return value;
            replaced += 1;
            const text = toJsonString(desc, value as Message);
            return new MessageJson(desc as GenMessage<Message>, [text]);
          };
          const parts = replaceNested(schema, message, replace);
          const json = composeJson(schema as GenMessage<Message>, parts as JsonParts<Message>);
          expect(toText(json)).toBe(toJsonString(schema, message));
          expect(toJsonString(schema, fromBinary(schema, json.toBinary()))).toBe(toText(json));
        }),
        { numRuns: 100 },
      );
      expect(replaced).toBeGreaterThan(10);
    });
  }
});

/** Copies the fields of a message with some of the messages in them replaced. */
function replaceNested(
  schema: DescMessage,
  message: Message,
  replace: (desc: DescMessage, value: unknown) => unknown,
): Record<string, unknown> {
  const { $typeName: _, ...parts }: Record<string, unknown> = { ...message };
  for (const { fieldKind, localName, message: desc, oneof } of schema.fields) {
    if (desc === undefined || fieldKind === "map") continue;
    const value = parts[oneof?.localName ?? localName];
    if (oneof !== undefined) {
      const { case: member, value: inner } = value as { case?: string; value?: unknown };
      if (member !== localName) continue;
      parts[oneof.localName] = { case: member, value: replace(desc, inner) };
    } else if (Array.isArray(value)) {
      parts[localName] = value.map((item) => replace(desc, item));
    } else if (value !== undefined) {
      parts[localName] = replace(desc, value);
    }
  }
  return parts;
}

test("messages of two types with the same JSON differ in binary", () => {
  const json = ['{"entity":{"id":"e"}}'];
  const [response, item] = [GetEntityResponseSchema, ItemSchema] as const;
  const binary = new MessageJson(response, json).toBinary();
  expect(fromBinary(response, binary).entity?.id).toBe("e");
  expect(fromBinary(item, new MessageJson(item, json).toBinary()).item.case).toBe("entity");
});

test("JSON is put into a list to the letter", () => {
  const json = composeJson(ListEventsResponseSchema, {
    events: [
      create(EventSchema, { id: "b" }),
      new MessageJson(EventSchema, ['{"id" : "as it is"}']),
    ],
    nextPageToken: "n",
  });
  expect(toText(json)).toBe('{"events":[{"id":"b"},{"id" : "as it is"}],"nextPageToken":"n"}');
});

function toText(json: MessageJson): string {
  return Buffer.from(json.toBytes()).toString().replace(/\n$/, "");
}

test("the generated messages are of every form", () => {
  const seen = new Set<string>();
  for (const message of fc.sample(messageOf(GetPageResponseSchema), 300)) {
    const json = toJson<DescMessage>(GetPageResponseSchema, message) as Record<string, unknown>;
    for (const name of Object.keys(json)) seen.add(name);
  }
  expect([...seen].sort()).toEqual(["components", "dropped", "object", "page"]);
});
