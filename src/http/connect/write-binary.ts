import {
  type DescField,
  type DescMessage,
  type JsonValue,
  type Message,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { findJsonText } from "../../domain/messages/json-text.ts";
import { compileField, type JsonOptions, toTag, writeJsonAsBinary } from "./json-to-binary.ts";
import { type Fields, holdsText, isNested, toNested } from "./nested-messages.ts";
import { WireWriter } from "./wire-writer.ts";

/**
 * Writes a message byte for byte as `toBinary` does. A nested message that keeps its JSON text is written from that,
 * so that a document of the store is not decoded. The next message may overwrite the bytes.
 */
export function writeBinary(
  schema: DescMessage,
  message: Message,
  options: JsonOptions,
): Uint8Array {
  const writer = new WireWriter();
  write(schema, message, options, writer);
  return writer.take();
}

function write(
  desc: DescMessage,
  message: Message,
  options: JsonOptions,
  writer: WireWriter,
): void {
  const text = findJsonText(message);
  if (text !== undefined) {
    writeJsonAsBinary(desc, JSON.parse(text), options, writer);
    return;
  }
  const writers = holdsText(desc, message) ? writersOf(desc) : undefined;
  if (writers === undefined) {
    writer.raw(toBinary(desc, message));
  } else {
    for (const writeField of writers) writeField(message as Fields, options, writer);
  }
}

/** Writes a field of a message. */
type WriteField = (message: Fields, options: JsonOptions, writer: WireWriter) => void;

const WRITERS = new WeakMap<DescMessage, { readonly all: readonly WriteField[] | undefined }>();

/** Returns the functions for the fields of a message, by their numbers; undefined if the library must write it. */
function writersOf(desc: DescMessage): readonly WriteField[] | undefined {
  const known = WRITERS.get(desc);
  if (known !== undefined) return known.all;
  const sorted = desc.fields.toSorted((a, b) => a.number - b.number);
  const own = sorted.flatMap((field) => compile(field) ?? []);
  const all = own.length === sorted.length ? own : undefined;
  WRITERS.set(desc, { all });
  return all;
}

function compile(field: DescField): WriteField | undefined {
  return isNested(field) ? compileNested(field) : compileSimple(field);
}

function compileNested(field: Parameters<typeof toNested>[0]): WriteField {
  const { desc, read } = toNested(field);
  const tag = toTag(field.number, WireType.LengthDelimited);
  return (message, options, writer) => {
    for (const item of read(message)) {
      writer.varint(tag);
      const start = writer.begin();
      write(desc, item, options, writer);
      writer.end(start);
    }
  };
}

/** Compiles the function for a field whose value is the same in a message and in its JSON. */
function compileSimple(field: DescField): WriteField | undefined {
  const { localName, oneof, scalar, fieldKind } = field;
  const isSimple =
    scalar === ScalarType.STRING || (scalar === ScalarType.BOOL && fieldKind === "scalar");
  if (!isSimple || fieldKind === "map" || oneof !== undefined) return undefined;
  const writeValue = compileField(field);
  return (
    writeValue &&
    ((message, options, writer) => {
      const value = message[localName] as JsonValue | undefined;
      if (value !== undefined) writeValue(value, options, writer);
    })
  );
}
