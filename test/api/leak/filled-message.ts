import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";

/**
 * Creates a message in which every text is a word: map keys, lists and messages below included, of
 * each oneof the first member. `rest` holds, as JSON, the fields that are something else; those that
 * the message does not have are ignored.
 */
export function createFilled<Desc extends DescMessage>(
  schema: Desc,
  word: string,
  rest: JsonObject,
): MessageShape<Desc> {
  const taken = new Set(schema.fields.filter(({ jsonName }) => jsonName in rest).map(memberOf));
  const json = toFilledJson(schema, word, taken);
  return fromJson(schema, { ...json, ...rest }, { ignoreUnknownFields: true });
}

/** Returns a message with a word as each text, in the same members of its oneofs; its id, project and type stay. */
export function fillTexts<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  word: string,
): MessageShape<Desc> {
  const json = toJson(schema, message) as JsonObject;
  const oneofs = schema.oneofs.map(({ name }) => name);
  const filled = toFilledJson(schema, word, new Set(["id", "project_id", "type", ...oneofs]));
  const members = schema.fields.flatMap((field) =>
    field.oneof && field.message && field.jsonName in json
      ? [[field.jsonName, toFilledJson(field.message, word)]]
      : [],
  );
  return fromJson(schema, { ...json, ...filled, ...Object.fromEntries(members) });
}

/** Fills a message like {@link createFilled}, as JSON; a free object holds the word as a name too. */
export function toFilledJson(
  schema: DescMessage,
  word: string,
  taken = new Set<string>(),
): JsonObject {
  if (schema.typeName === "google.protobuf.Struct") {
    return { title: { en: word }, [word]: { deep: [word] } };
  }
  const json: JsonObject = {};
  for (const field of schema.fields) {
    const member = memberOf(field);
    const value = taken.has(member) ? undefined : toValue(field, word);
    if (value === undefined) continue;
    taken.add(member);
    json[field.jsonName] = value;
  }
  return json;
}

/** Names a field by its oneof, of which one member is set. */
function memberOf({ oneof, name }: DescField): string {
  return oneof?.name ?? name;
}

function toValue(field: DescField, word: string): JsonValue | undefined {
  switch (field.fieldKind) {
    case "scalar":
      return toScalar(field.scalar, word);
    case "message":
      return toMessage(field.message, word);
    case "list": {
      const item =
        field.listKind === "message"
          ? toMessage(field.message, word)
          : field.scalar && toScalar(field.scalar, word);
      return item === undefined ? undefined : [item];
    }
    case "map":
      return field.mapKind === "scalar" ? { en: word, [word]: word } : undefined;
    default:
      return undefined;
  }
}

function toScalar(type: ScalarType, word: string): string | undefined {
  return type === ScalarType.STRING ? word : undefined;
}

/** Times, durations and money hold no texts. */
function toMessage(schema: DescMessage, word: string): JsonObject | undefined {
  const isFilled = schema.file.proto.package.startsWith("svc.") || schema.name === "Struct";
  return isFilled ? toFilledJson(schema, word) : undefined;
}
