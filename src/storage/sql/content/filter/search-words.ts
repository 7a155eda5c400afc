import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { SEARCH_LIMITS, toWords } from "../../../../domain/content/search.ts";

/**
 * Lists the distinct words that a search finds an item by: the first `SEARCH_LIMITS.wordsOfItem` of its title, its
 * description and its fields, in this order.
 */
export function listWords({ title, description, fields }: JsonObject): readonly string[] {
  const texts: string[] = [];
  const waiting: (JsonValue | undefined)[] = [fields, description, title];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number") texts.push(String(value));
    else if (typeof value === "object" && value !== null) {
      waiting.push(...Object.values(value).reverse());
    }
  }
  const words = [...new Set(toWords(texts.join("\n")))];
  return words.slice(0, SEARCH_LIMITS.wordsOfItem);
}
