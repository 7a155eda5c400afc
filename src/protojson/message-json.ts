import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type Message,
  type MessageInitShape,
  toJson,
  toJsonString,
} from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { CHECKED_DEPTH, perDescriptor } from "../domain/descriptors.ts";

/** The length of the texts that are encoded at once. */
const CHUNK = 1_024;

/** A message as its JSON in the form of responses: camelCase names, no implicit zero values. */
export class MessageJson<T extends Message = Message> {
  readonly desc: GenMessage<T>;
  /** The parts of the text. */
  readonly texts: readonly string[];

  constructor(desc: GenMessage<T>, texts: readonly string[]) {
    this.desc = desc;
    this.texts = texts;
  }

  /** Returns the message. */
  decode(): T {
    return fromJson<GenMessage<T>>(this.desc, JSON.parse(this.texts.join("")), CHECKED_DEPTH) as T;
  }

  /** Returns the JSON in UTF-8. A character beyond Latin-1 makes a text slow to encode, so they are not joined. */
  toBytes(): Uint8Array {
    const chunks: Uint8Array[] = [];
    let text = "";
    for (const part of this.texts) {
      text += part;
      if (text.length < CHUNK) continue;
      chunks.push(Buffer.from(text));
      text = "";
    }
    chunks.push(Buffer.from(text));
    return Buffer.concat(chunks);
  }
}

/** The options of JSON with proto field names, including the zero values of fields without presence. */
export const FULL_JSON = { alwaysEmitImplicit: true, useProtoFieldName: true } as const;

/** Returns a message that may be JSON. */
export function toMessage(message: Message | MessageJson): Message {
  return message instanceof MessageJson ? message.decode() : message;
}

/** The fields of a message, in which messages may be JSON. */
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
): MessageJson<T> {
  const others: Record<string, unknown> = { ...fields };
  const spliced = new Map<DescField, readonly string[]>();
  for (const field of desc.fields) {
    const texts = field.message && splice(field.message, readPart(others, field));
    if (texts === undefined) continue;
    spliced.set(field, texts);
    delete others[field.oneof?.localName ?? field.localName];
  }
  const json = toJson(desc, create(desc, others as MessageInitShape<GenMessage<T>>)) as JsonObject;
  const texts: string[] = [];
  for (const field of orderedFields(desc)) {
    const value = json[field.jsonName];
    const parts = value === undefined ? spliced.get(field) : [JSON.stringify(value)];
    if (parts === undefined) continue;
    texts.push(`${texts.length === 0 ? "{" : ","}"${field.jsonName}":`);
    for (const text of parts) texts.push(text);
  }
  texts.push(texts.length === 0 ? "{}" : "}");
  return new MessageJson(desc, texts);
}

/** Returns the value of a field; undefined for another member of its oneof. */
function readPart(parts: Readonly<Record<string, unknown>>, { localName, oneof }: DescField) {
  if (oneof === undefined) return parts[localName];
  const member = parts[oneof.localName] as { readonly case?: string; readonly value?: unknown };
  return member?.case === localName ? member.value : undefined;
}

/** Writes the value of a field that holds JSON; undefined for any other. */
function splice(desc: DescMessage, value: unknown): readonly string[] | undefined {
  if (value instanceof MessageJson) return value.texts;
  if (!Array.isArray(value) || !value.some((item) => item instanceof MessageJson)) return undefined;
  const texts: string[] = [];
  for (const item of value) {
    texts.push(texts.length === 0 ? "[" : ",");
    if (item instanceof MessageJson) for (const text of item.texts) texts.push(text);
    else texts.push(toJsonString(desc, item));
  }
  texts.push("]");
  return texts;
}

/** Returns the fields of a message in the order of their numbers, in which the library writes them. */
const orderedFields = perDescriptor((desc: DescMessage) =>
  desc.fields.toSorted((a, b) => a.number - b.number),
);
