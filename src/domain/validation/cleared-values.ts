import {
  type DescField,
  type DescMessage,
  isFieldSet,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { isFreeJson, readField } from "../base/descriptors.ts";
import { isObject } from "../base/json.ts";
import type { Warning } from "../base/warnings.ts";

/** The maximum number of paths in a warning. */
const MOST_PATHS = 20;

/**
 * Warns of values that an update has cleared without naming them. A message, map or object of free JSON that is sent
 * replaces the stored one as a whole (contract: studio 4). `names` are the root fields that the update names, `path` is
 * put before them. A named field without a value is cleared on purpose. Undefined without such values.
 */
export function warnOfCleared(
  schema: DescMessage,
  before: Message,
  after: Message,
  { names, path = "" }: { readonly names: readonly string[]; readonly path?: string },
): Warning | undefined {
  const fields: string[] = [];
  for (const cleared of listCleared(schema, before, after, names)) {
    fields.push(path + cleared);
    if (fields.length === MOST_PATHS) break;
  }
  if (fields.length === 0) return undefined;
  const message = `cleared ${fields.join(", ")}: a field of the update is replaced as a whole; send all its values to keep them`;
  return { code: "VALUES_CLEARED", fields, message };
}

function* listCleared(
  schema: DescMessage,
  before: Message,
  after: Message,
  names: readonly string[],
): Generator<string> {
  for (const field of schema.fields) {
    if (!names.includes(field.name)) continue;
    if (!isFieldSet(before, field) || !isFieldSet(after, field)) continue;
    yield* listBelow(field, before, after, field.name);
  }
}

/** Lists what a field of one message has and the same field of another lacks. Both have the field. */
function* listBelow(
  field: DescField,
  before: Message,
  after: Message,
  path: string,
): Generator<string> {
  const [old, now] = [readField(before, field), readField(after, field)];
  if (isFreeJson(field)) {
    yield* listMissing(old as JsonValue, now as JsonValue, path);
  } else if (field.fieldKind === "map") {
    for (const key of Object.keys(old as object)) {
      if (!Object.hasOwn(now as object, key)) yield `${path}.${key}`;
    }
  } else if (field.fieldKind === "message" && !field.message.typeName.startsWith("google.")) {
    for (const member of field.message.fields) {
      const [from, to] = [old as Message, now as Message];
      const memberPath = `${path}.${member.name}`;
      if (!isFieldSet(from, member) || isReplaced(to, member)) continue;
      if (isFieldSet(to, member)) yield* listBelow(member, from, to, memberPath);
      else yield memberPath;
    }
  }
}

/** Reports whether another member of a oneof takes the place of a field. */
function isReplaced(message: Message, field: DescField): boolean {
  return field.oneof?.fields.some((it) => it !== field && isFieldSet(message, it)) === true;
}

function* listMissing(old: JsonValue, now: JsonValue, path: string): Generator<string> {
  if (!isObject(old) || !isObject(now)) return;
  for (const [key, value] of Object.entries(old)) {
    const keyPath = `${path}.${key}`;
    if (!Object.hasOwn(now, key)) yield keyPath;
    else yield* listMissing(value, now[key] ?? null, keyPath);
  }
}
