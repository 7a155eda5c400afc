import type { DescField, Message } from "@bufbuild/protobuf";

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
