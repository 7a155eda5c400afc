import {
  type DescField,
  type DescMessage,
  type DescService,
  getOption,
  type Message,
} from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { TextKind, text as textOption } from "../../../gen/svc/options/v1/text_pb.ts";

/** Returns a function that computes its result once for each descriptor of a message, a field or a method. */
export function perDescriptor<Desc extends object, Result>(
  compute: (descriptor: Desc) => Result,
): (descriptor: Desc) => Result {
  const results = new WeakMap<Desc, Result>();
  return (descriptor) => {
    if (results.has(descriptor)) return results.get(descriptor) as Result;
    const result = compute(descriptor);
    results.set(descriptor, result);
    return result;
  };
}

type Properties = Record<string, unknown>;

/**
 * Returns the value of a field as the message stores it, also of a member of a oneof; undefined if it is
 * unset and has no default. Cheaper than `reflect()`, which wraps every message, list and map.
 */
export function readField(message: Message, { localName, oneof }: DescField): unknown {
  const properties = message as Message & Properties;
  if (oneof === undefined) return properties[localName];
  const member = properties[oneof.localName] as {
    readonly case?: string;
    readonly value?: unknown;
  };
  return member.case === localName ? member.value : undefined;
}

/** Returns the value at the end of a path of fields; undefined if one on the way is unset. */
export function readPath(message: Message, fields: readonly DescField[]): unknown {
  return fields.reduce<unknown>(
    (parent, field) => parent && readField(parent as Message, field),
    message,
  );
}

/** Sets the value of a field as the message stores it; a member replaces the others of its oneof. */
export function writeField(
  message: Message,
  { localName, oneof }: DescField,
  value: unknown,
): void {
  const properties = message as Message & Properties;
  if (oneof === undefined) properties[localName] = value;
  else properties[oneof.localName] = { case: localName, value };
}

/** Reports whether a field holds one object of free JSON, which a message has in its own form. */
export function isFreeJson(field: DescField | undefined): boolean {
  return field?.fieldKind === "message" && field.message.typeName === StructSchema.typeName;
}

/** A field whose descriptor marks it as KQL or as a text with variables. */
export interface TextField {
  readonly field: DescField;
  readonly kind: Exclude<TextKind, typeof TextKind.UNSPECIFIED>;
}

/** Lists the marked fields of a message type. */
export const listTextFields = perDescriptor((schema: DescMessage): readonly TextField[] =>
  schema.fields.flatMap((field) => {
    const kind = getOption(field, textOption);
    return kind === TextKind.UNSPECIFIED ? [] : [{ field, kind }];
  }),
);

/**
 * Reports whether a service belongs to the Studio API, which rejects unknown JSON fields over every protocol. The
 * Delivery API ignores them, like Connect.
 */
export function isStudioService(service: DescService): boolean {
  return service.typeName.startsWith("svc.studio.");
}

/**
 * The options for decoding a message that was checked when it was received. JSON is at most 100 levels deep, and a
 * level takes up to three nested messages; the library's own limit is 100 messages.
 */
export const CHECKED_DEPTH = { recursionLimit: 400 } as const;
