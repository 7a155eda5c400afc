import { type DescMessage, fromJsonString, type Message } from "@bufbuild/protobuf";
import type { ContentKind } from "../../../domain/content/order.ts";
import { attachJsonText, findJsonText } from "../../../domain/messages/json-text.ts";
import { CONTENT_SCHEMAS, type ContentMessages } from "./content-kinds.ts";

/** A row that holds a document. */
export interface DocumentRow {
  readonly id: string;
  readonly doc: string;
}

/**
 * Reads the content item that a document holds. Its JSON is at hand, and most answers take nothing
 * else: the document is parsed when a field other than the id is asked for.
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

const PROTOTYPES: Readonly<Record<ContentKind, object>> = {
  event: createPrototype(CONTENT_SCHEMAS.event),
  creative_work: createPrototype(CONTENT_SCHEMAS.creative_work),
  entity: createPrototype(CONTENT_SCHEMAS.entity),
};

/** Makes getters that turn what has them into the whole message, without getters, on the first look. */
function createPrototype(schema: DescMessage): object {
  const names = schema.members.map(({ localName }) => localName).filter((name) => name !== "id");
  const fill = (message: Message): Record<string, unknown> => {
    const whole = fromJsonString(schema, findJsonText(message) ?? "{}");
    for (const name of names) {
      const value: unknown = Reflect.get(whole, name);
      Object.defineProperty(message, name, { ...OWN, value });
    }
    return message as unknown as Record<string, unknown>;
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
