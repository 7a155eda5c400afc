import { isMessage, type JsonObject, toJson as toProtoJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import {
  type Duration,
  DurationSchema,
  type Timestamp,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";

/** The JSON of a response or of a part of one, see {@link toJson}. */
export type Json<T> = JsonObject extends T
  ? T
  : T extends bigint | Uint8Array | Timestamp | Duration
    ? string
    : T extends readonly (infer Item)[]
      ? Json<Item>[]
      : T extends object
        ? {
            [Name in keyof T as Name extends "$typeName" | "$unknown" ? never : Name]: Json<
              T[Name]
            >;
          }
        : T;

/**
 * Returns a response, or a part of one, as JSON: for the props of a page, and to hydrate a page that a server rendered. The
 * members are the same. Times are ISO strings, durations such as `"1.5s"`, 64-bit numbers strings, and bytes base64.
 */
export function toJson<T>(value: T): Json<T> {
  return convert(value) as Json<T>;
}

function convert(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(convert);
  if (value instanceof Uint8Array) return base64Encode(value);
  // Content may have any members, but no bigint.
  if ("seconds" in value && typeof value.seconds === "bigint") {
    if (isMessage(value, TimestampSchema)) return toProtoJson(TimestampSchema, value);
    if (isMessage(value, DurationSchema)) return toProtoJson(DurationSchema, value);
  }
  const members = Object.entries(value).filter(
    ([name, it]) => it !== undefined && name !== "$typeName" && name !== "$unknown",
  );
  return Object.fromEntries(members.map(([name, it]) => [name, convert(it)]));
}
