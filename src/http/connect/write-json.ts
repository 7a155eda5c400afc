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
import {
  type Fields,
  holdsText,
  isNested,
  isWellKnown,
  type Nested,
  type NestedField,
  toNested,
} from "./nested-messages.ts";
import { Utf8Writer } from "./utf8-writer.ts";

/**
 * Writes a message byte for byte as `toJsonString` does, in UTF-8. A nested message that keeps its JSON text,
 * in a field, a list or a oneof, is not serialized again: its text is inserted. The next message may overwrite
 * the bytes.
 */
export function writeJson<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  options: Options = {},
): Uint8Array {
  const writer = new Utf8Writer();
  write(schema, message, options, writer);
  return writer.take();
}

/** The types that a `google.protobuf.Any` may hold. */
type Options = Pick<JsonWriteOptions, "registry">;

/** A field: of messages, of simple values, or else left to the library. */
interface Field {
  readonly name: string;
  readonly nested?: Nested;
  /** Returns the JSON of a simple value; undefined for none. */
  readonly toText?: ToText;
}

type ToText = (message: Fields) => string | undefined;

/** The fields of a message type, prepared for writing. */
interface Plan {
  /** Ordered by their numbers. */
  readonly fields: readonly Field[];
  /** True if no field is left to the library. */
  readonly isOwn: boolean;
  /** Clears the nested fields in a copy of a message. */
  clear(copy: Record<string, unknown>): void;
}

const PLANS = new WeakMap<DescMessage, Plan>();

function write(desc: DescMessage, message: Message, options: Options, writer: Utf8Writer): void {
  const text = findJsonText(message);
  const plan = planOf(desc);
  if (text !== undefined) {
    writer.add(text);
  } else if (plan.isOwn || holdsText(desc, message)) {
    writeFields(plan, desc, message as Fields, options, writer);
  } else {
    writer.add(JSON.stringify(toJson(desc, message, options)));
  }
}

function writeFields(
  plan: Plan,
  desc: DescMessage,
  message: Fields,
  options: Options,
  writer: Utf8Writer,
): void {
  const others = plan.isOwn ? {} : writeOthers(plan, desc, message, options);
  let before = "{";
  for (const { name, nested, toText } of plan.fields) {
    const items = nested?.read(message) ?? [];
    const text = toText === undefined ? JSON.stringify(others[name]) : toText(message);
    if (nested !== undefined && items.length > 0) {
      writer.add(`${before}"${name}":${nested.isList ? "[" : ""}`);
      for (const [index, item] of items.entries()) {
        if (index > 0) writer.add(",");
        write(nested.desc, item, options, writer);
      }
      if (nested.isList) writer.add("]");
    } else if (text !== undefined) {
      writer.add(`${before}"${name}":${text}`);
    } else {
      continue;
    }
    before = ",";
  }
  writer.add(before === "{" ? "{}" : "}");
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
  const isOrdinary =
    !isWellKnown(desc) && sorted.every(({ jsonName }) => /^[a-z]\w*$/i.test(jsonName));
  const nestedFields = isOrdinary ? sorted.filter(isNested) : [];
  const nested = new Map<DescField, Nested>(nestedFields.map((field) => [field, toNested(field)]));
  const fields = sorted.map((field): Field => {
    const own = nested.get(field);
    const toText = own === undefined ? findToText(field) : undefined;
    return { name: field.jsonName, ...(own && { nested: own }), ...(toText && { toText }) };
  });
  return {
    fields,
    isOwn: isOrdinary && fields.every((it) => it.nested !== undefined || it.toText !== undefined),
    clear(copy) {
      for (const field of nestedFields) clearField(copy, field);
    },
  };
}

/** Returns the function for a field of simple values; undefined for one that is left to the library. */
function findToText({ fieldKind, scalar, localName, presence }: DescField): ToText | undefined {
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

function clearField(copy: Record<string, unknown>, { fieldKind, localName, oneof }: NestedField) {
  if (fieldKind === "list") {
    copy[localName] = [];
  } else if (oneof === undefined) {
    delete copy[localName];
  } else if ((copy[oneof.localName] as { case?: string }).case === localName) {
    copy[oneof.localName] = { case: undefined };
  }
}
