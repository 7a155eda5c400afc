import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { invalidField } from "../errors.ts";

/** A string inside the JSON of a query, which may have variables. */
export interface JsonText {
  /** True for KQL; in other texts, braces that do not enclose a variable are literal. */
  readonly isKql: boolean;
  /** Its path, such as `event_player.query.filter` or `event_player.query.ids[0]`. */
  readonly path: string;
  readonly text: string;
  /** Replaces the string in its JSON. */
  replace(text: string): void;
}

/** Maximum number of filters and other strings with braces in a query; each is resolved at every read. */
export const MOST_QUERY_TEXTS = 100;

/**
 * Lists the strings of a query that may have variables, at any depth, in order: those named `filter`, also
 * in a list, are KQL; of the others, those with a brace. Keys are not included. INVALID_ARGUMENT
 * `QUERY_TOO_LARGE` for more than {@link MOST_QUERY_TEXTS}.
 */
export function listJsonTexts(query: JsonObject, path: string): JsonText[] {
  const texts = listMembers(query, path).filter(({ isKql, text }) => isKql || text.includes("{"));
  if (texts.length <= MOST_QUERY_TEXTS) return texts;
  const description = `must have at most ${MOST_QUERY_TEXTS} filters and strings with braces, not ${texts.length}`;
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
