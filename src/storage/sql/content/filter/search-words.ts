import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import { toWords } from "../../../../domain/content/search.ts";
import type { Schema } from "../../schema.ts";
import { nextAfterPrefix } from "./stored-text.ts";

/** Shorter words are looked for as they are: too much begins with them. */
const SHORTEST_START = 3;

/** How many words a start may stand for, for each to be looked for by itself. */
const MOST_WORDS = 100;

/** Names what a search is confined to, as one word. */
export function toScope(collection: number, visibility: number): string {
  return `c${collection}v${visibility}`;
}

/** Lists the words of an item that a search reads: those of title, description and fields. */
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

/**
 * Writes a search as a full-text query: every word, or a word that begins with it. A start is looked
 * up among all words, because the engine would gather all that begins so before the first answer.
 * Undefined when no item can have all words.
 */
export async function toSearchQuery(
  db: Kysely<Schema>,
  words: readonly string[],
): Promise<string | undefined> {
  const parts: string[] = [];
  for (const start of words) {
    if (start.length < SHORTEST_START) {
      parts.push(quote(start));
      continue;
    }
    const found = await findWords(db, start);
    if (found.length === 0) return undefined;
    const isTooMany = found.length > MOST_WORDS;
    parts.push(isTooMany ? `${quote(start)} *` : `(${found.map(quote).join(" OR ")})`);
  }
  return `words : (${parts.join(" AND ")})`;
}

async function findWords(db: Kysely<Schema>, start: string): Promise<readonly string[]> {
  const end = nextAfterPrefix(start);
  const rows = await db
    .selectFrom("content_word")
    .select("word")
    .where("word", ">=", start)
    .$if(end !== undefined, (query) => query.where("word", "<", end ?? ""))
    .limit(MOST_WORDS + 1)
    .execute();
  return rows.map(({ word }) => word);
}

function quote(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}
