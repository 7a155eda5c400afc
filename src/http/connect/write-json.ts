import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonWriteOptions,
  type Message,
  type MessageShape,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
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

/** Writes the JSON value of a field; undefined for a field without one. */
type WriteValue = (message: Fields, options: Options) => string | undefined;

/** A field of messages that may have JSON texts. */
interface Nested {
  readonly desc: DescMessage;
  /** Returns the messages that are set. */
  read(message: Fields): readonly Message[];
  readonly isList: boolean;
}

/** The fields of a message type, prepared for writing. */
interface Plan {
  /** The fields in the order of their numbers. A field without `write` is left to the library. */
  readonly fields: readonly { readonly name: string; readonly write: WriteValue | undefined }[];
  readonly nested: readonly Nested[];
  /** True if no field is left to the library. */
  readonly isOwn: boolean;
  /** Clears the nested fields in a copy of a message. */
  clear(copy: Record<string, unknown>): void;
}

const PLANS = new WeakMap<DescMessage, Plan>();

function write(desc: DescMessage, message: Message, options: Options): string {
  const text = findJsonText(message);
  if (text !== undefined) return text;
  const plan = planOf(desc);
  return plan.isOwn || holdsText(plan, message)
    ? writeFields(plan, desc, message as Fields, options)
    : JSON.stringify(toJson(desc, message, options));
}

/** Reports whether a nested message has a JSON text. */
function holdsText(plan: Plan, message: Message): boolean {
  return plan.nested.some(({ desc, read }) =>
    read(message as Fields).some(
      (it) => findJsonText(it) !== undefined || holdsText(planOf(desc), it),
    ),
  );
}

/** Appends to one string, which is copied once, when it is complete. */
function writeFields(plan: Plan, desc: DescMessage, message: Fields, options: Options): string {
  const others = plan.isOwn ? {} : writeOthers(plan, desc, message, options);
  let members = "";
  for (const { name, write } of plan.fields) {
    const value = write === undefined ? JSON.stringify(others[name]) : write(message, options);
    if (value !== undefined) members += `${members === "" ? "" : ","}"${name}":${value}`;
  }
  return `{${members}}`;
}

/** Writes all but the nested messages by the library. */
function writeOthers(plan: Plan, desc: DescMessage, message: Fields, options: Options): JsonObject {
  const copy: Message & Record<string, unknown> = { ...message };
  plan.clear(copy);
  return toJson(desc, copy, options) as JsonObject;
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
  const nested = new Map<DescField, Nested>(nestedFields.map((field) => [field, toNested(field)]));
  const fields = sorted.map((field) => {
    const own = nested.get(field);
    return { name: field.jsonName, write: own ? toWriteNested(own) : findWriteValue(field) };
  });
  return {
    fields,
    nested: [...nested.values()],
    isOwn: isOrdinary && fields.every(({ write }) => write !== undefined),
    clear(copy) {
      for (const field of nestedFields) clearField(copy, field);
    },
  };
}

function toWriteNested({ desc, read, isList }: Nested): WriteValue {
  return (message, options) => {
    let texts: string | undefined;
    for (const item of read(message)) {
      const text = write(desc, item, options);
      texts = texts === undefined ? text : `${texts},${text}`;
    }
    return texts !== undefined && isList ? `[${texts}]` : texts;
  };
}

/** Returns the function for a field of simple values; undefined for one that is left to the library. */
function findWriteValue({
  fieldKind,
  scalar,
  localName,
  presence,
}: DescField): WriteValue | undefined {
  if (fieldKind === "list" && scalar === ScalarType.STRING) {
    return ({ [localName]: value }) =>
      (value as string[]).length === 0 ? undefined : JSON.stringify(value);
  }
  if (fieldKind !== "scalar" || presence !== FeatureSet_FieldPresence.IMPLICIT) return undefined;
  if (scalar === ScalarType.STRING) {
    return ({ [localName]: value }) => (value === "" ? undefined : JSON.stringify(value));
  }
  if (scalar === ScalarType.BOOL) return ({ [localName]: value }) => (value ? "true" : undefined);
  return undefined;
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
