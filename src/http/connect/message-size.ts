import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { perDescriptor } from "../../domain/descriptors.ts";
import { Code, DomainError, type Reason } from "../../domain/errors.ts";
import { MAX_DEPTH, MAX_VALUES } from "../../protojson/read-json.ts";

/** The maximum number of fields in a binary message; a google.protobuf.Value takes up to four. */
const MAX_FIELDS = 4 * MAX_VALUES;

/** The decoder refuses deeper nesting. */
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
      if (fields > MAX_FIELDS)
        throw refuse(
          "MESSAGE_TOO_LARGE",
          `the message has more than ${MAX_FIELDS} fields; split the request`,
        );
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

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Checks the depth of a JSON text and its number of values (contract: limits 1) before a lenient parser reads
 * it, which skips unknown members however deep and large they are. Syntax is left to that parser.
 * INVALID_ARGUMENT `JSON_TOO_DEEP` or `JSON_TOO_LARGE`.
 */
export function checkJsonSize(text: Uint8Array): void {
  let depth = 0;
  let values = 1;
  let isInString = false;
  // True right after the opening bracket of an array or object, which may be empty.
  let isOpened = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
      continue;
    }
    if (BLANKS.has(byte)) continue;
    const isClosing = CLOSING.has(byte);
    if (byte === COMMA || (isOpened && !isClosing)) values += 1;
    isOpened = OPENING.has(byte);
    if (byte === QUOTE) isInString = true;
    else if (isOpened) depth += 1;
    else if (isClosing) depth -= 1;
    if (depth > MAX_DEPTH) {
      throw refuse("JSON_TOO_DEEP", `the JSON nests deeper than ${MAX_DEPTH} levels`);
    }
    if (values > MAX_VALUES) {
      throw refuse("JSON_TOO_LARGE", `the JSON has more than ${MAX_VALUES} values`);
    }
  }
}

function refuse(reason: Reason, message: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, message);
}
