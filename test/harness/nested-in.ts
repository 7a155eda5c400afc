import type { ReflectMessage } from "@bufbuild/protobuf/reflect";

/** Lists the messages inside a message that are of our own types, outermost first. */
export function nestedIn(message: ReflectMessage): ReflectMessage[] {
  return message.fields.flatMap((field) => {
    if (field.message === undefined || field.message.typeName.startsWith("google.")) return [];
    const items =
      field.fieldKind === "list"
        ? Array.from(message.get(field) as Iterable<ReflectMessage>)
        : field.fieldKind === "message" && message.isSet(field)
          ? [message.get(field)]
          : [];
    return items.flatMap((item) => [item, ...nestedIn(item)]);
  });
}
