import { parseJson } from "./json-text.ts";

// A list of ids in one text:
//
//   ids = id { ";" id } | a JSON array of strings ;
//
// In the first form, spaces around an id are ignored.

/** Parses a list of ids; undefined for an invalid array and for an empty id outside of an array. */
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
 * Writes a list of ids separated by `;`, or as a JSON array if that form could not represent an id: an empty
 * one, one with `;` or outer spaces, or a first one that begins with `[`.
 */
export function printIds(ids: readonly string[]): string {
  const isPlain = ids.every((id) => id !== "" && id === id.trim() && !id.includes(";"));
  return isPlain && !ids[0]?.startsWith("[") ? ids.join(";") : JSON.stringify(ids);
}
