import type { DescField, JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import { invalidField } from "../errors.ts";

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

/** How many filters, and other texts with braces, a query may hold: each is resolved at every read. */
export const MOST_QUERY_TEXTS = 100;

/**
 * Lists the texts of a query that may hold variables, however deep, in their order: those under the name
 * `filter`, also in a list, are KQL; of the others those with a brace. Names of members are no texts.
 * INVALID_ARGUMENT `QUERY_TOO_LARGE` for more than {@link MOST_QUERY_TEXTS}.
 */
export function listJsonTexts(query: JsonObject, path: string): JsonText[] {
  const texts = listMembers(query, path).filter(({ isKql, text }) => isKql || text.includes("{"));
  if (texts.length <= MOST_QUERY_TEXTS) return texts;
  const description = `it holds ${texts.length} filters and texts with braces; at most ${MOST_QUERY_TEXTS} are allowed`;
  throw invalidField(path, "QUERY_TOO_LARGE", description);
}

function listMembers(object: JsonObject, path: string): JsonText[] {
  return Object.entries(object).flatMap(([name, value]) =>
    listTexts(object, name, value, { isKql: name === "filter", path: `${path}.${name}` }),
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
  if (!Array.isArray(value)) return listMembers(value, place.path);
  return value.flatMap((item, index) =>
    listTexts(value, index, item, { ...place, path: `${place.path}[${index}]` }),
  );
}
