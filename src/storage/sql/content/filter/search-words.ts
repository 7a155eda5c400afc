import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { toWords } from "../../../../domain/content/search.ts";

/** Lists the searchable words of an item: those of title, description and fields. */
export function listWords({ title, description, fields }: JsonObject): readonly string[] {
  const texts: string[] = [];
  const waiting: (JsonValue | undefined)[] = [fields, description, title];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number") texts.push(String(value));
    else if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) waiting.push(member);
    }
  }
  return toWords(texts.join("\n"));
}
