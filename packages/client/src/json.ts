import {
  type DescField,
  type DescMessage,
  isMessage,
  type JsonObject,
  type Message,
  toJson as toProtoJson,
} from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import {
  type Duration,
  DurationSchema,
  type Timestamp,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import type { EnumNames } from "../../../gen/enum-names.ts";

/** The names of the enum that a member of a message is, or has a list of; `never` for other members. */
export type EnumName<T, Name> =
  T extends Message<infer TypeName extends keyof EnumNames>
    ? Name extends keyof EnumNames[TypeName]
      ? EnumNames[TypeName][Name]
      : never
    : never;

/** The JSON of a response or of a part of one, see {@link toJson}. */
export type Json<T> = JsonObject extends T
  ? T
  : T extends bigint | Uint8Array | Timestamp | Duration
    ? string
    : T extends readonly (infer Item)[]
      ? Json<Item>[]
      : T extends object
        ? {
            [Name in keyof T as Name extends "$typeName" | "$unknown" ? never : Name]: Member<
              T[Name],
              EnumName<T, Name>
            >;
          }
        : T;

/** The value of a member; `Name` is `never` unless it is an enum or a list of an enum. */
type Member<T, Name> = [Name] extends [never]
  ? Json<T>
  : T extends readonly unknown[]
    ? Name[]
    : Name;

/** The messages of the responses that a client has had, by name: a response has no schema. */
const schemas = new Map<string, DescMessage>();

/** Makes the enums of a response, and of the messages in it, known to {@link toJson}. */
export function addSchema(schema: DescMessage): void {
  if (schemas.has(schema.typeName)) return;
  schemas.set(schema.typeName, schema);
  for (const { message } of schema.fields) if (message) addSchema(message);
}

/**
 * Returns a response, or a part of one, as JSON: for the props of a page, and to hydrate a page that a server rendered. The
 * members are the same. Times are ISO strings, durations such as `"1.5s"`, 64-bit numbers strings, and bytes base64. Enums
 * are names such as `"VISIBILITY_PUBLISHED"`; a value that this client does not know remains a number.
 */
export function toJson<T>(value: T): Json<T> {
  return convert(value) as Json<T>;
}

function convert(value: unknown, field?: DescField): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return field?.enum?.value[value]?.name ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((it) => convert(it, field));
  if (value instanceof Uint8Array) return base64Encode(value);
  // Content may have any members, but no bigint.
  if ("seconds" in value && typeof value.seconds === "bigint") {
    if (isMessage(value, TimestampSchema)) return toProtoJson(TimestampSchema, value);
    if (isMessage(value, DurationSchema)) return toProtoJson(DurationSchema, value);
  }
  const fields = isMessage(value) ? schemas.get(value.$typeName)?.field : undefined;
  const members = Object.entries(value).filter(
    ([name, it]) => it !== undefined && name !== "$typeName" && name !== "$unknown",
  );
  return Object.fromEntries(members.map(([name, it]) => [name, convert(it, fields?.[name])]));
}
