import { parseJson } from "./json-text.ts";

// A list of ids in one text:
//
//   ids = id { ";" id } | a JSON array of strings ;
//
// Blanks around an id of the first form do not belong to it.

/** Parses a list of ids; undefined for a broken array, and for an empty id outside of an array. */
export function parseIds(text: string): string[] | undefined {
  if (text.startsWith("[")) {
    const json = parseJson(text);
    const isList = Array.isArray(json) && json.every((it) => typeof it === "string");
    return isList ? (json as string[]) : undefined;
  }
  const ids = text.split(";").map((it) => it.trim());
  return ids.includes("") ? undefined : ids;
}

/**
 * Writes a list of ids with `;` between them, or as a JSON array if an id would not come back from
 * that: one that is empty, has a `;` or blanks at its ends, or is the first and begins with `[`.
 */
export function printIds(ids: readonly string[]): string {
  const isPlain = ids.every((id) => id !== "" && id === id.trim() && !id.includes(";"));
  return isPlain && !ids[0]?.startsWith("[") ? ids.join(";") : JSON.stringify(ids);
}
