import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** How many arrays and objects may be open at once, as in the requests of the service. */
export const MAX_DEPTH = 100;

/**
 * Parses JSON; undefined for what is none, nests deeper than `maxDepth` or has a string that is no
 * Unicode, such as one half of a surrogate pair.
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

/** Tells an object from the other values. */
export function isJsonObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function isSound(json: JsonValue, depth: number): boolean {
  if (typeof json === "string") return json.isWellFormed();
  if (typeof json !== "object" || json === null) return true;
  if (depth === 0) return false;
  return Object.entries(json).every(([key, it]) => key.isWellFormed() && isSound(it, depth - 1));
}
