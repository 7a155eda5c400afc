import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonWriteOptions,
  type Message,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { findJsonText } from "../../domain/messages/json-text.ts";

/**
 * Writes a message byte for byte as `toJsonString` does. A nested message that keeps its JSON text, in a
 * field, a list or a oneof, is not serialized again: its text is inserted.
 */
export function writeJson<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  options: Options = {},
): string {
  return write(schema, message, options);
}

/** The types that a `google.protobuf.Any` may hold. */
type Options = Pick<JsonWriteOptions, "registry">;

/** A message whose fields can be read by name. */
type Fields = Message & Readonly<Record<string, unknown>>;

/** A field of messages that may have JSON texts. */
interface Nested {
  readonly desc: DescMessage;
  /** Returns the messages that are set. */
  read(message: Fields): readonly Message[];
  readonly isList: boolean;
}

/** The fields of a message type, prepared for writing. */
interface Plan {
  /** The fields by JSON name, in the order of their numbers. */
  readonly fields: readonly { readonly key: string; readonly nested?: Nested }[];
  readonly nested: readonly Nested[];
  /** Clears the nested fields in a copy of a message. */
  clear(copy: Record<string, unknown>): void;
}

const PLANS = new WeakMap<DescMessage, Plan>();

function write(desc: DescMessage, message: Message, options: Options): string {
  const text = findJsonText(message);
  if (text !== undefined) return text;
  return holdsText(desc, message)
    ? writeFields(planOf(desc), desc, message as Fields, options)
    : JSON.stringify(toJson(desc, message, options));
}

/** Reports whether a nested message has a JSON text. */
function holdsText(desc: DescMessage, message: Message): boolean {
  return planOf(desc).nested.some((nested) =>
    nested
      .read(message as Fields)
      .some((it) => findJsonText(it) !== undefined || holdsText(nested.desc, it)),
  );
}

/** Writes the nested messages, and all other fields by the library. */
function writeFields(plan: Plan, desc: DescMessage, message: Fields, options: Options): string {
  const copy: Message & Record<string, unknown> = { ...message };
  plan.clear(copy);
  const plain = toJson(desc, copy, options) as JsonObject;
  const members: string[] = [];
  for (const { key, nested } of plan.fields) {
    const items = nested?.read(message) ?? [];
    if (nested !== undefined && items.length > 0) {
      const texts = items.map((it) => write(nested.desc, it, options)).join(",");
      members.push(`${JSON.stringify(key)}:${nested.isList ? `[${texts}]` : texts}`);
    } else if (plain[key] !== undefined) {
      members.push(`${JSON.stringify(key)}:${JSON.stringify(plain[key])}`);
    }
  }
  return `{${members.join(",")}}`;
}

function planOf(desc: DescMessage): Plan {
  const known = PLANS.get(desc);
  if (known !== undefined) return known;
  const plan = createPlan(desc);
  PLANS.set(desc, plan);
  return plan;
}

function createPlan(desc: DescMessage): Plan {
  const sorted = desc.fields.toSorted((a, b) => a.number - b.number);
  const isOrdinary = !isFree(desc) && sorted.every(({ jsonName }) => /^[a-z]\w*$/i.test(jsonName));
  const nestedFields = isOrdinary ? sorted.filter(isNested) : [];
  const nested = new Map(nestedFields.map((field) => [field, toNested(field)]));
  return {
    fields: sorted.map((field) => {
      const own = nested.get(field as NestedField);
      return { key: field.jsonName, ...(own !== undefined && { nested: own }) };
    }),
    nested: [...nested.values()],
    clear(copy) {
      for (const field of nestedFields) clearField(copy, field);
    },
  };
}

type NestedField = DescField & {
  readonly message: DescMessage;
  readonly fieldKind: "message" | "list";
};

/** Reports whether a field holds messages. Well-known types have special forms in memory and in JSON. */
function isNested(field: DescField): field is NestedField {
  const isOfMessages = field.fieldKind === "message" || field.fieldKind === "list";
  return isOfMessages && field.message !== undefined && !isFree(field.message);
}

function isFree({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.");
}

function toNested({ message: desc, fieldKind, localName, oneof }: NestedField): Nested {
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

function clearField(copy: Record<string, unknown>, { fieldKind, localName, oneof }: NestedField) {
  if (fieldKind === "list") {
    copy[localName] = [];
  } else if (oneof === undefined) {
    delete copy[localName];
  } else if ((copy[oneof.localName] as { case?: string }).case === localName) {
    copy[oneof.localName] = { case: undefined };
  }
}
