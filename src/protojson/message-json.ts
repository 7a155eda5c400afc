import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonWriteOptions,
  type Message,
  type MessageInitShape,
  toBinary,
  toJson,
  toJsonString,
} from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { LRUCache } from "lru-cache";
import { CHECKED_DEPTH, perDescriptor } from "../domain/base/descriptors.ts";

/** The length of the texts that are encoded at once. */
const CHUNK = 1_024;

/** A message as its JSON in the form of responses: camelCase names, no implicit zero values. */
export class MessageJson<T extends Message = Message> {
  readonly desc: GenMessage<T>;
  /** The parts of the text. */
  readonly texts: readonly string[];
  readonly #members: Members | undefined;

  /** `members` belong to a composed message; absent: the text is stored as a whole. */
  constructor(desc: GenMessage<T>, texts: readonly string[], members?: Members) {
    this.desc = desc;
    this.texts = texts;
    this.#members = members;
  }

  /** Returns the message in binary. */
  toBinary(): Uint8Array {
    if (this.#members === undefined) return toStoredBinary(this.desc, this.texts.join(""));
    const { others, spliced } = this.#members;
    const writer = new BinaryWriter().raw(toBinary(this.desc, others as T));
    for (const [{ number, message }, { parts }] of spliced) {
      for (const part of parts) {
        const binary =
          part instanceof MessageJson ? part.toBinary() : toBinary(message as DescMessage, part);
        writer.tag(number, WireType.LengthDelimited).bytes(binary);
      }
    }
    return writer.finish();
  }

  /**
   * Returns the JSON in UTF-8, and a newline for readers in a terminal. A character beyond Latin-1 makes a text slow to
   * encode, so they are not joined.
   */
  toBytes(): Uint8Array {
    const chunks: Uint8Array[] = [];
    let text = "";
    for (const part of this.texts) {
      text += part;
      if (text.length < CHUNK) continue;
      chunks.push(Buffer.from(text));
      text = "";
    }
    chunks.push(Buffer.from(`${text}\n`));
    // Not from the pool that `Buffer.concat` uses: a cached response would keep all of it.
    const bytes = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, end);
      end += chunk.length;
    }
    return bytes;
  }
}

/** The parts of a composed message: the messages that are spliced in, by their fields, and the others. */
interface Members {
  readonly others: Message;
  readonly spliced: ReadonlyMap<DescField, Spliced>;
}

/** The value of a field with JSON. */
interface Spliced {
  readonly texts: readonly string[];
  readonly parts: readonly (Message | MessageJson)[];
}

/** The most bytes of stored messages that are cached in binary, with their JSON. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Stored messages in binary by their JSON, because many lists contain the same ones. */
const binaries = new LRUCache<string, Uint8Array>({
  maxSize: MOST_BYTES,
  sizeCalculation: (binary, key) => binary.length + 2 * key.length,
});

function toStoredBinary<T extends Message>(desc: GenMessage<T>, json: string): Uint8Array {
  const key = `${desc.typeName} ${json}`;
  const known = binaries.get(key);
  if (known !== undefined) return known;
  const binary = toBinary(desc, fromJson(desc, JSON.parse(json), CHECKED_DEPTH));
  binaries.set(key, binary);
  return binary;
}

/** The fields of a message. A field of a message type may be JSON. */
export type JsonParts<T extends Message> = {
  readonly [Name in Exclude<keyof T, keyof Message>]?: Part<T[Name]>;
};

type Part<Value> = Value extends Message
  ? Value | MessageJson<Value>
  : Value extends readonly (infer Item extends Message)[]
    ? readonly (Item | MessageJson<Item>)[]
    : Value extends { readonly case: infer Case; readonly value: infer Member }
      ? { readonly case: Case; readonly value: Part<Member> }
      : Value;

/** Writes a message as `toJsonString` does, and inserts the messages that are JSON as they are. */
export function composeJson<T extends Message>(
  desc: GenMessage<T>,
  fields: JsonParts<T>,
  options: Partial<JsonWriteOptions> = {},
): MessageJson<T> {
  const others: Record<string, unknown> = { ...fields };
  const spliced = new Map<DescField, Spliced>();
  for (const field of desc.fields) {
    const value = field.message && splice(field.message, readPart(others, field));
    if (value === undefined) continue;
    spliced.set(field, value);
    delete others[field.oneof?.localName ?? field.localName];
  }
  const message = create(desc, others as MessageInitShape<GenMessage<T>>);
  const json = toJson(desc, message, options) as JsonObject;
  const texts: string[] = [];
  for (const field of orderedFields(desc)) {
    const name = options.useProtoFieldName ? field.name : field.jsonName;
    const value = json[name];
    const own = value === undefined ? undefined : [JSON.stringify(value)];
    const parts = spliced.get(field)?.texts ?? own;
    if (parts === undefined) continue;
    texts.push(`${texts.length === 0 ? "{" : ","}"${name}":`);
    for (const text of parts) texts.push(text);
  }
  texts.push(texts.length === 0 ? "{}" : "}");
  return new MessageJson(desc, texts, { others: message, spliced });
}

/** Returns the value of a field; undefined for another member of its oneof. */
function readPart(parts: Readonly<Record<string, unknown>>, { localName, oneof }: DescField) {
  if (oneof === undefined) return parts[localName];
  const member = parts[oneof.localName] as { readonly case?: string; readonly value?: unknown };
  return member?.case === localName ? member.value : undefined;
}

/** Writes the value of a field with JSON; undefined for any other. */
function splice(desc: DescMessage, value: unknown): Spliced | undefined {
  if (value instanceof MessageJson) return { texts: value.texts, parts: [value] };
  if (!Array.isArray(value) || !value.some((item) => item instanceof MessageJson)) return undefined;
  const texts: string[] = [];
  for (const item of value) {
    texts.push(texts.length === 0 ? "[" : ",");
    if (item instanceof MessageJson) for (const text of item.texts) texts.push(text);
    else texts.push(toJsonString(desc, item));
  }
  texts.push("]");
  return { texts, parts: value };
}

/** Returns the fields of a message in the order of their numbers, as the library writes them. */
const orderedFields = perDescriptor((desc: DescMessage) =>
  desc.fields.toSorted((a, b) => a.number - b.number),
);
