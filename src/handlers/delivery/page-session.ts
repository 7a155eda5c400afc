import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { Session } from "../../domain/pages/rendering/listing.ts";

/** Reads the session storage that a client sent as free values. */
export function toSession(values: Readonly<Record<string, Value>>): Session {
  const entries = Object.entries(values).map(([key, value]) => [key, toJson(ValueSchema, value)]);
  return Object.fromEntries(entries);
}
