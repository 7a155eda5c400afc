import {
  create,
  type JsonObject,
  type JsonValue,
  type MessageInitShape,
  toJsonString,
} from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { checkCreativeWork, checkEntity, checkEvent } from "../../../src/domain/content/content.ts";
import { rejection } from "../../harness/rejection.ts";

type EventInit = MessageInitShape<typeof EventSchema>;
type Item = Pick<EventInit, "title" | "description" | "fields" | "entityIds" | "videoIds">;

const event = (init: EventInit) => () => checkEvent(create(EventSchema, init), "event");

/** Every kind, as far as all have the same fields. */
const KINDS: Readonly<Record<string, (init: Item) => void>> = {
  event: (init) => event(init as EventInit)(),
  creative_work: (init) =>
    checkCreativeWork(create(CreativeWorkSchema, init as object), "creative_work"),
  entity: ({ entityIds: _, videoIds: __, ...init }) =>
    checkEntity(create(EntitySchema, init as object), "entity"),
};

/** Fields with so many objects or lists inside each other, itself included. */
function nested(levels: number, wrap: (value: JsonValue) => JsonValue): JsonObject {
  let value: JsonValue = 1;
  for (let level = 1; level < levels; level += 1) value = wrap(value);
  return { a: value };
}

describe("an event", () => {
  const at = (seconds: bigint, nanos = 0) => ({ seconds, nanos });
  test.each([
    ["no times", {}],
    ["a start alone", { startTime: at(9n) }],
    ["an end alone", { endTime: at(1n) }],
    ["an end at its start", { startTime: at(5n, 7), endTime: at(5n, 7) }],
    ["an end before 1970", { startTime: at(-9n), endTime: at(-8n) }],
  ] as const)("may have %s", (_name, init) => {
    expect(event(init)).not.toThrow();
  });

  test.each([
    ["a second", { startTime: at(6n), endTime: at(5n, 999_999_999) }],
    ["a nanosecond", { startTime: at(5n, 8), endTime: at(5n, 7) }],
  ] as const)("does not end %s before it starts", (_name, init) => {
    expect(event(init)).toThrow(rejection("TIME_WINDOW_INVALID", "event.end_time"));
  });
});

for (const [kind, check] of Object.entries(KINDS)) {
  describe(`content of kind ${kind}`, () => {
    const rejected = (init: Item, reason: string, field: string) =>
      expect(() => check(init)).toThrow(rejection(reason, field));

    test("has languages as keys of its texts", () => {
      for (const member of ["title", "description"] as const) {
        expect(() => check({ [member]: { en: "", "pt-BR": "a" } })).not.toThrow();
        rejected({ [member]: { en: "a", "e n": "b" } }, "LANGUAGE_INVALID", `${kind}.${member}`);
      }
    });

    test("names others by ids that are not blank", () => {
      if (kind === "entity") return;
      for (const [member, field] of [
        ["entityIds", "entity_ids"],
        ["videoIds", "video_ids"],
      ] as const) {
        expect(() => check({ [member]: ["a", "A", "a ", "a"] })).not.toThrow();
        rejected({ [member]: ["a", " "] }, "IDS_INVALID", `${kind}.${field}[1]`);
      }
    });

    test.each([
      ["objects", (value: JsonValue) => ({ a: value })],
      ["lists", (value: JsonValue) => [value]],
    ] as const)("has at most 30 %s inside each other", (_what, wrap) => {
      expect(() => check({ fields: nested(30, wrap) })).not.toThrow();
      rejected({ fields: nested(31, wrap) }, "FIELDS_TOO_DEEP", `${kind}.fields`);
      rejected({ fields: nested(5_000, wrap) }, "FIELDS_TOO_DEEP", `${kind}.fields`);
    });

    test("has at most 256 KiB as JSON", () => {
      const empty = Buffer.byteLength(
        toJsonString(EntitySchema, create(EntitySchema, { fields: { a: "" } })),
      );
      const left = 262_144 - empty;
      // A letter of two bytes, so that characters are not what is counted.
      const full = `${"é".repeat(Math.floor(left / 2))}${left % 2 === 1 ? "e" : ""}`;
      expect(() => check({ fields: { a: full } })).not.toThrow();
      rejected({ fields: { a: `${full}e` } }, "CONTENT_TOO_LARGE", kind);
    });

    test("has at most 5,000 values", () => {
      // The item, its fields and the list are three of them.
      const list = (count: number) => ({ a: Array.from({ length: count - 3 }, () => null) });
      expect(() => check({ fields: list(5_000) })).not.toThrow();
      rejected({ fields: list(5_001) }, "CONTENT_TOO_LARGE", kind);
    });
  });
}
