import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { limitsOf } from "../../src/domain/validation/input-limits.ts";
import type { JsonMessage } from "./methods.ts";

/** A field of a message, by the names that lead to it, with the widest value that its limits allow. */
interface WideField {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Values of free JSON; a content item may have 5,000, with those of its other fields. */
const VALUES = 4_500;

/** The characters of an item of a list and of a value of a map: the limits would exceed those of a whole resource. */
const ITEM = 200;

/**
 * Returns a message with as many fields at their limits as `isValid` accepts together, from the first to the last of the
 * descriptor. References, times and enums stay as they are.
 */
export async function widen(
  schema: DescMessage,
  message: JsonMessage,
  isValid: (message: JsonMessage) => Promise<boolean>,
): Promise<JsonMessage> {
  let widest = message;
  for (const { path, value } of listWideFields(schema, message)) {
    const wider = withValue(widest, path, value);
    if (await isValid(wider)) widest = wider;
  }
  return widest;
}

/** Returns flat free JSON; `salt` makes each value another. */
export function flat(count: number, salt = 0): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, it) => [`q${it}`, it + salt]));
}

function listWideFields(
  { fields }: DescMessage,
  message: JsonMessage,
  above: readonly string[] = [],
): readonly WideField[] {
  return fields.flatMap((field): readonly WideField[] => {
    const path = [...above, field.jsonName];
    const below = message[field.jsonName];
    if (field.fieldKind === "message" && field.message.typeName.startsWith("svc.")) {
      return below === undefined ? [] : listWideFields(field.message, below as JsonMessage, path);
    }
    const value = widestOf(field);
    return value === undefined ? [] : [{ path, value }];
  });
}

function widestOf(field: DescField): unknown {
  const { characters = 0, items = 0, entries = 0 } = limitsOf(field);
  if (/(^|_)ids?$/.test(field.name)) return undefined;
  const list = (value: unknown) => Array.from({ length: items }, () => value);
  switch (field.fieldKind) {
    case "scalar":
      return field.scalar === ScalarType.STRING ? "x".repeat(characters) : undefined;
    case "message":
      return field.message.typeName === "google.protobuf.Struct" ? flat(VALUES) : undefined;
    case "map":
      return Object.fromEntries(
        Array.from({ length: entries }, (_, it) => [`key-${it}`, "x".repeat(ITEM)]),
      );
    case "list":
      if (field.listKind === "message") return list({});
      return field.scalar === ScalarType.STRING
        ? list("").map((_, it) => `${it}`.padEnd(ITEM, "x"))
        : undefined;
    default:
      return undefined;
  }
}

function withValue(
  message: JsonMessage,
  [name = "", ...below]: readonly string[],
  value: unknown,
): JsonMessage {
  const next =
    below.length === 0 ? value : withValue((message[name] ?? {}) as JsonMessage, below, value);
  return { ...message, [name]: next };
}
