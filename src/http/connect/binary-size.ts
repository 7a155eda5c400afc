import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { perDescriptor } from "../../domain/base/descriptors.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { MAX_VALUES } from "../../protojson/read-json.ts";

/** The maximum number of fields in a binary message; a google.protobuf.Value takes up to four. */
const MAX_FIELDS = 4 * MAX_VALUES;

/** The decoder rejects deeper nesting. */
const MAX_MESSAGE_DEPTH = 100;

/**
 * Counts the fields of a binary message, nested messages included, before it is decoded: decoding a few
 * megabytes of tiny fields would block other requests. Malformed bytes are left to the decoder.
 * INVALID_ARGUMENT `MESSAGE_TOO_LARGE`.
 */
export function checkBinarySize(schema: DescMessage, bytes: Uint8Array): void {
  // A field takes at least two bytes.
  if (bytes.length <= 2 * MAX_FIELDS) return;
  let fields = 0;
  const reader = new BinaryReader(bytes);

  function walk(shape: Shape, end: number, depth: number): void {
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      fields += 1;
      if (fields > MAX_FIELDS) {
        const message = `the message has more than ${MAX_FIELDS} fields; split the request`;
        throw new DomainError(Code.INVALID_ARGUMENT, "MESSAGE_TOO_LARGE", message);
      }
      const inner = wireType === WireType.LengthDelimited ? shape(number) : undefined;
      if (inner === undefined || depth === MAX_MESSAGE_DEPTH) {
        reader.skip(wireType, number);
      } else {
        const length = reader.uint32();
        walk(inner, reader.pos + length, depth + 1);
      }
    }
  }

  try {
    walk(shapeOf(schema), bytes.length, 1);
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
  }
}

/** Returns the shape of the message in the field with this number; undefined for any other field. */
type Shape = (number: number) => Shape | undefined;

const shapeOf = perDescriptor((schema: DescMessage): Shape => {
  const fields = new Map(schema.fields.map((field) => [field.number, field]));
  return (number) => {
    const field = fields.get(number);
    if (field?.fieldKind === "map") return (part) => (part === 2 ? messageOf(field) : undefined);
    return field && messageOf(field);
  };
});

function messageOf({ message }: DescField): Shape | undefined {
  return message && shapeOf(message);
}
