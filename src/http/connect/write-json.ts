import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonWriteOptions,
  type Message,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { readField } from "../../domain/messages/field-value.ts";
import { findJsonText } from "../../domain/messages/json-text.ts";
import { perDescriptor } from "../../domain/messages/per-descriptor.ts";

/** The types that a `google.protobuf.Any` may hold. */
type Options = Pick<JsonWriteOptions, "registry">;

/**
 * Writes a message as `toJsonString` does. A nested message that keeps its JSON text is not serialized again: its
 * text is inserted.
 */
export function writeJson<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  options: Options = {},
): string {
  return splice(desc, message, options) ?? write(desc, message, options);
}

function write(desc: DescMessage, message: Message, options: Options): string {
  return JSON.stringify(toJson(desc, message, options));
}

/** Writes a message that keeps its text or has one inside; undefined for any other. */
function splice(desc: DescMessage, message: Message, options: Options): string | undefined {
  const text = findJsonText(message);
  if (text !== undefined) return text;
  const texts = new Map<DescField, string>();
  for (const field of nestedFields(desc)) {
    const text = spliceField(field, readField(message, field), options);
    if (text !== undefined) texts.set(field, text);
  }
  if (texts.size === 0) return undefined;
  const others = toJson(desc, omit(message, [...texts.keys()]), options) as JsonObject;
  const members = desc.fields
    .toSorted((a, b) => a.number - b.number)
    .map((field) => [field.jsonName, texts.get(field) ?? JSON.stringify(others[field.jsonName])])
    .filter(([, text]) => text !== undefined);
  return `{${members.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
}

function spliceField(field: NestedField, value: unknown, options: Options): string | undefined {
  if (value === undefined) return undefined;
  if (field.fieldKind === "message") return splice(field.message, value as Message, options);
  const messages = value as readonly Message[];
  const texts = messages.map((message) => splice(field.message, message, options));
  if (texts.every((text) => text === undefined)) return undefined;
  const items = messages.map(
    (message, index) => texts[index] ?? write(field.message, message, options),
  );
  return `[${items.join(",")}]`;
}

/** A field that holds messages. */
type NestedField = DescField & {
  readonly message: DescMessage;
  readonly fieldKind: "message" | "list";
};

/** Returns the fields that hold messages, except those of `google.protobuf`, whose JSON has other forms. */
const nestedFields = perDescriptor((desc: DescMessage): readonly NestedField[] =>
  isWellKnown(desc) ? [] : desc.fields.filter(isNested),
);

function isNested(field: DescField): field is NestedField {
  const isOfMessages = field.fieldKind === "message" || field.fieldKind === "list";
  return isOfMessages && field.message !== undefined && !isWellKnown(field.message);
}

function isWellKnown({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.");
}

/** Copies a message without some of its fields. */
function omit(message: Message, fields: readonly DescField[]): Message {
  const copy: Message & Record<string, unknown> = { ...message };
  for (const { fieldKind, localName, oneof } of fields) {
    if (oneof !== undefined) copy[oneof.localName] = { case: undefined };
    else if (fieldKind === "list") copy[localName] = [];
    else delete copy[localName];
  }
  return copy;
}
