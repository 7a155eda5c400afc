import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { checkBinarySize } from "../../../src/http/connect/binary-size.ts";

const tooLarge = expect.objectContaining({ reason: "MESSAGE_TOO_LARGE" });

describe("a binary message holds 80,000 fields at most", () => {
  const event = (count: number) =>
    toBinary(EventSchema, create(EventSchema, { entityIds: Array(count).fill("x") }));

  test("in a list", () => {
    checkBinarySize(EventSchema, event(80_000));
    expect(() => checkBinarySize(EventSchema, event(80_001))).toThrow(tooLarge);
  });

  test("in free JSON, of which each value takes four", () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, key]));
    const withFields = (count: number) =>
      toBinary(EventSchema, create(EventSchema, { fields: fields(count) }));
    // The field itself is one more.
    checkBinarySize(EventSchema, withFields(19_999));
    expect(() => checkBinarySize(EventSchema, withFields(20_000))).toThrow(tooLarge);
  });

  test("of fields that the message does not have, too", () => {
    const writer = new BinaryWriter();
    for (let count = 0; count <= 80_000; count += 1) {
      writer.tag(1_000, WireType.Varint).uint32(1);
    }
    expect(() => checkBinarySize(EventSchema, writer.finish())).toThrow(tooLarge);
  });
});

describe("what cannot be decoded is left to the decoder", () => {
  test("bytes that are no message", () => {
    checkBinarySize(EventSchema, new Uint8Array(300_000).fill(0xff));
  });

  test("a message that nests deeper than any may", () => {
    let bytes: Uint8Array = new Uint8Array(200_000);
    for (let depth = 0; depth < 500; depth += 1) {
      bytes = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(bytes).finish();
    }
    checkBinarySize(StructSchema, bytes);
  });
});
