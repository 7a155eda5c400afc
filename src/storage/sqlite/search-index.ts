import { type Kysely, type SqlBool, sql } from "kysely";
import { nextAfterPrefix } from "../sql/content/filter/stored-text.ts";
import type { SearchIndex, SearchScope } from "../sql/dialect.ts";
import type { Schema } from "../sql/schema.ts";

/** The tables of the full-text index, and of every word that is or was in it. */
type SearchTables = {
  content_search: { rowid: number; scope: string; words: string };
  content_word: { word: string };
};

/** The shortest search word that matches prefixes: too many words begin with a shorter one. */
const SHORTEST_START = 3;

/** The most words that replace a prefix. */
const MOST_WORDS = 100;

/** The full-text index in FTS5. Each row holds its partition as a word. */
export const SEARCH_INDEX: SearchIndex = {
  countsInSteps: true,

  toQuery,

  narrow: (query, scope) => `scope : ${toScopeWord(scope)} AND ${query}`,

  select: (query) =>
    sql`select rowid as item, null as sort_time, null as id from content_search where content_search match ${query}`,

  matches: (query, item) =>
    sql<SqlBool>`exists (select 1 from content_search where content_search match ${query} and rowid = ${item})`,

  insert(tx) {
    let rows: (readonly [item: number, scope: string, words: string])[] = [];
    let words = new Set<string>();
    return {
      add(item, scope, text) {
        rows.push([item, toScopeWord(scope), text]);
      },

      addWords(added) {
        for (const it of added) words.add(it);
      },

      // One statement for all rows: FTS5 writes and merges what it has collected whenever a statement of several
      // rows begins.
      async flush() {
        if (rows.length === 0) return;
        await sql`
          insert into content_search (rowid, scope, words)
          select value ->> 0, value ->> 1, value ->> 2 from json_each(${JSON.stringify(rows)})
        `.execute(tx);
        await sql`
          insert into content_word (word) select value from json_each(${JSON.stringify([...words].sort())}) where true
          on conflict do nothing
        `.execute(tx);
        [rows, words] = [[], new Set()];
      },
    };
  },

  async erase(tx, items) {
    await tx
      .withTables<SearchTables>()
      .deleteFrom("content_search")
      .where("rowid", "in", [...items])
      .execute();
  },
};

/** Returns the word of a partition. */
function toScopeWord({ collection, visibility }: SearchScope): string {
  return `c${collection}v${visibility}`;
}

/**
 * Translates a search into a full-text query with each word as a prefix. A prefix is expanded to the known
 * words that begin with it, as FTS5 would read all their entries before the first row. Undefined if no item
 * can match.
 */
async function toQuery(db: Kysely<Schema>, words: readonly string[]): Promise<string | undefined> {
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
    .withTables<SearchTables>()
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
