import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** The maximum nesting depth, as in requests. */
export const MAX_DEPTH = 100;

/**
 * Parses JSON; undefined for invalid JSON, for nesting deeper than `maxDepth` and for strings that are not
 * well-formed Unicode.
 */
export function parseJson(text: string, maxDepth = MAX_DEPTH): JsonValue | undefined {
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  return isSound(json, maxDepth) ? json : undefined;
}

/** Reports whether a JSON value is an object. */
export function isJsonObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function isSound(json: JsonValue, depth: number): boolean {
  if (typeof json === "string") return json.isWellFormed();
  if (typeof json !== "object" || json === null) return true;
  if (depth === 0) return false;
  return Object.entries(json).every(([key, it]) => key.isWellFormed() && isSound(it, depth - 1));
}
