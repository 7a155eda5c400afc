import { type DescMessage, fromJsonString, type Message } from "@bufbuild/protobuf";
import type { ContentKind } from "../../../domain/content/order.ts";
import { attachJsonText, findJsonText } from "../../../domain/messages/json-text.ts";
import { CHECKED_DEPTH } from "../../../domain/messages/recursion-limit.ts";
import { CONTENT_SCHEMAS, type ContentMessages } from "./content-kinds.ts";

/** The row of a content item. */
export interface DocumentRow {
  readonly id: string;
  readonly doc: string;
}

/**
 * Returns the content item of a row. Most responses need only its JSON, which is attached, so the document is
 * parsed on the first access to a field other than the id.
 */
export function readContent<Kind extends ContentKind>(
  kind: Kind,
  { id, doc }: DocumentRow,
): ContentMessages[Kind] {
  const message = Object.create(PROTOTYPES[kind]) as ContentMessages[Kind];
  message.id = id;
  attachJsonText(message, doc);
  return message;
}

/** The proto names of the fields of content that have another name in JSON. */
const PROTO_NAMES = new Map(
  Object.values(CONTENT_SCHEMAS).flatMap(({ fields }) =>
    fields.flatMap(({ jsonName, name }) => (jsonName === name ? [] : [[jsonName, name] as const])),
  ),
);

/** Reads a stored document as filters see it: with proto names, below which content has free-form objects only. */
export function readFields(doc: string): unknown {
  const members = Object.entries(JSON.parse(doc));
  return Object.fromEntries(members.map(([name, it]) => [PROTO_NAMES.get(name) ?? name, it]));
}

const PROTOTYPES: Readonly<Record<ContentKind, object>> = {
  event: createPrototype(CONTENT_SCHEMAS.event),
  creative_work: createPrototype(CONTENT_SCHEMAS.creative_work),
  entity: createPrototype(CONTENT_SCHEMAS.entity),
};

/** A message whose fields are accessed by their local names. */
type Fields = Message & Record<string, unknown>;

/** Creates a prototype whose accessors parse the document and replace themselves by the fields. */
function createPrototype(schema: DescMessage): object {
  const names = schema.members.map(({ localName }) => localName).filter((name) => name !== "id");
  const fill = (message: Message): Fields => {
    const whole = fromJsonString(schema, findJsonText(message) ?? "{}", CHECKED_DEPTH) as Fields;
    for (const name of names) {
      Object.defineProperty(message, name, { ...OWN, value: whole[name] });
    }
    return message as Fields;
  };
  const prototype = { $typeName: schema.typeName };
  for (const name of names) {
    Object.defineProperty(prototype, name, {
      get(this: Message) {
        return fill(this)[name];
      },
      set(this: Message, value: unknown) {
        fill(this)[name] = value;
      },
    });
  }
  return prototype;
}

const OWN = { configurable: true, enumerable: true, writable: true };
