import type { DescField, JsonObject, JsonValue, Message } from "@bufbuild/protobuf";

/** A text inside the JSON of a query, which may hold variables. */
export interface JsonText {
  /** True: it is KQL; false: braces that are no variable's are text. */
  readonly isKql: boolean;
  /** Where it lies, such as `event_player.query.filter` or `event_player.query.ids[0]`. */
  readonly path: string;
  readonly text: string;
  /** Puts another text in its place. */
  replace(text: string): void;
}

/** Gets the query that a field of a message holds; the field is set. */
export function getQuery(message: Message, { localName, oneof }: DescField): JsonObject {
  const value: unknown = Reflect.get(message, oneof?.localName ?? localName);
  return oneof === undefined ? (value as JsonObject) : (value as { value: JsonObject }).value;
}

/**
 * Lists the texts of a query, however deep, in their order: those under the name `filter`, also in a
 * list, are KQL. Names of members are no texts.
 */
export function listJsonTexts(query: JsonObject, path: string): JsonText[] {
  return Object.entries(query).flatMap(([name, value]) =>
    listTexts(query, name, value, {
      isKql: name === "filter",
      path: `${path}.${name}`,
    }),
  );
}

function listTexts<Key extends string | number>(
  parent: Record<Key, JsonValue>,
  key: Key,
  value: JsonValue,
  place: Pick<JsonText, "isKql" | "path">,
): JsonText[] {
  if (typeof value === "string") {
    const replace = (text: string) => {
      parent[key] = text;
    };
    return [{ ...place, text: value, replace }];
  }
  if (typeof value !== "object" || value === null) return [];
  if (!Array.isArray(value)) return listJsonTexts(value, place.path);
  return value.flatMap((item, index) =>
    listTexts(value, index, item, { ...place, path: `${place.path}[${index}]` }),
  );
}
