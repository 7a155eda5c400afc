import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import { toWords } from "../../../../domain/content/search.ts";
import type { Schema } from "../../schema.ts";
import { nextAfterPrefix } from "./stored-text.ts";

/** A shorter word of a search matches itself only: too many words begin with it. */
const SHORTEST_START = 3;

/** The most words that replace a prefix. */
const MOST_WORDS = 100;

/** Returns the word that stands for a partition in the full-text index. */
export function toScope(collection: number, visibility: number): string {
  return `c${collection}v${visibility}`;
}

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

/**
 * Writes a search as a query of the full-text index: each word as a prefix. A prefix is replaced by the
 * known words that begin with it, as the engine would read all their entries before its first row.
 * Undefined if no item can match.
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
