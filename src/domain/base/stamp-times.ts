import type { DescMessage, Message, MessageShape } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { TimestampSchema, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** Sets the fields of these names that a message has to a time. Returns the message. */
export function stampTimes<T extends Message>(
  schema: DescMessage,
  value: T,
  names: readonly ("create_time" | "update_time")[],
  now: Date,
): T {
  const time = reflect(TimestampSchema, timestampFromDate(now));
  const message = reflect(schema, value as MessageShape<DescMessage>);
  for (const field of message.fields) {
    if (names.some((name) => name === field.name)) message.set(field, time);
  }
  return value;
}
