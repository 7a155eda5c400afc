import { type DescMessage, isFieldSet, type Message } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { readField, writeField } from "./descriptors.ts";

type TimeName = "create_time" | "update_time";

/** Sets the fields of these names that a message has to a time. Returns the message. */
export function stampTimes<T extends Message>(
  schema: DescMessage,
  value: T,
  names: readonly TimeName[],
  now: Date,
): T {
  for (const field of schema.fields) {
    if (names.some((name) => name === field.name)) writeField(value, field, timestampFromDate(now));
  }
  return value;
}

/**
 * Sets the times that a message lacks: to the times of its stored state, or to `now` without one. Returns their names.
 * A time that the stored state also lacks stays absent.
 */
export function fillTimes(
  schema: DescMessage,
  value: Message,
  stored: Message | undefined,
  now: Date,
): readonly TimeName[] {
  const missing = TIME_NAMES.flatMap((name) => {
    const field = schema.fields.find((it) => it.name === name);
    return field === undefined || isFieldSet(value, field) ? [] : [{ name, field }];
  });
  const names = missing.map(({ name }) => name);
  if (stored === undefined) stampTimes(schema, value, names, now);
  else for (const { field } of missing) writeField(value, field, readField(stored, field));
  return names;
}

const TIME_NAMES = ["create_time", "update_time"] as const;
