import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { findJsonText } from "../../domain/messages/json-text.ts";

/** A message whose fields can be read by name. */
export type Fields = Message & Readonly<Record<string, unknown>>;

/** A field of messages that may have JSON texts. */
export interface Nested {
  readonly desc: DescMessage;
  /** Returns the messages that are set. */
  read(message: Fields): readonly Message[];
  readonly isList: boolean;
}

/** A field that holds messages. */
export type NestedField = DescField & {
  readonly message: DescMessage;
  readonly fieldKind: "message" | "list";
};

/** Reports whether a field holds messages. Well-known types have special forms in memory and in JSON. */
export function isNested(field: DescField): field is NestedField {
  const isOfMessages = field.fieldKind === "message" || field.fieldKind === "list";
  return isOfMessages && field.message !== undefined && !isWellKnown(field.message);
}

/** Reports whether a type is one of `google.protobuf`. */
export function isWellKnown({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.");
}

/** Returns the reader of a field's messages. */
export function toNested({ message: desc, fieldKind, localName, oneof }: NestedField): Nested {
  if (fieldKind === "list") {
    return { desc, isList: true, read: (message) => message[localName] as Message[] };
  }
  if (oneof === undefined) {
    const read = (message: Fields) => toItems(message[localName] as Message | undefined);
    return { desc, isList: false, read };
  }
  const { localName: groupName } = oneof;
  return {
    desc,
    isList: false,
    read(message) {
      const group = message[groupName] as { case?: string; value?: Message };
      return toItems(group.case === localName ? group.value : undefined);
    },
  };
}

const NONE: readonly Message[] = [];

function toItems(message: Message | undefined): readonly Message[] {
  return message === undefined ? NONE : [message];
}

const NESTED = new WeakMap<DescMessage, readonly Nested[]>();

/** Reports whether a message inside another one has a JSON text. */
export function holdsText(desc: DescMessage, message: Message): boolean {
  let nested = NESTED.get(desc);
  if (nested === undefined) {
    nested = isWellKnown(desc) ? [] : desc.fields.filter(isNested).map(toNested);
    NESTED.set(desc, nested);
  }
  return nested.some(({ desc: own, read }) =>
    read(message as Fields).some((it) => findJsonText(it) !== undefined || holdsText(own, it)),
  );
}
