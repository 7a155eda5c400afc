import { type SqlBool, sql } from "kysely";
import type { SearchIndex, SearchScope } from "../sql/dialect.ts";

/** The shortest search word that matches prefixes: too many words begin with a shorter one. */
const SHORTEST_START = 3;

/** The most characters of a word that the index holds; it takes up to 2,046 bytes. */
const LONGEST_WORD = 500;

/** The items that one statement inserts. */
const CHUNK = 100;

/**
 * The full-text index: for each item its words, and one that stands for its partition, as a sorted list without
 * places, which a GIN index inverts. The words are ours: no dictionary or parser of PostgreSQL changes them.
 */
export const SEARCH_INDEX: SearchIndex = {
  async toQuery(_, words) {
    return words
      .map((word) => `${quote(cut(word))}${word.length < SHORTEST_START ? "" : ":*"}`)
      .join(" & ");
  },

  narrow: (query, scope) => `${quote(toScopeWord(scope))} & ${query}`,

  select: (query) =>
    sql`select item, cast(null as bigint) as sort_time, cast(null as text) as id from content_search where words @@ cast(${query} as tsquery)`,

  matches: (query, item) =>
    sql<SqlBool>`exists (select 1 from content_search where item = ${item} and words @@ cast(${query} as tsquery) offset 0)`,

  insert(tx) {
    let rows: (readonly [item: number, words: string])[] = [];
    return {
      add(item, scope, text) {
        const words = new Set(text.split(" ").filter(Boolean).map(cut));
        rows.push([item, JSON.stringify([toScopeWord(scope), ...words])]);
      },

      async flush() {
        for (let from = 0; from < rows.length; from += CHUNK) {
          const chunk = rows.slice(from, from + CHUNK);
          await sql`
            insert into content_search (item, words)
            select item, array_to_tsvector(array(select json_array_elements_text(cast(words as json))))
            from unnest(cast(${chunk.map(([item]) => item)} as bigint[]), cast(${chunk.map(([, words]) => words)} as text[]))
              as added (item, words)
          `.execute(tx);
        }
        rows = [];
      },
    };
  },

  async erase(tx, items) {
    await sql`delete from content_search where item = any(cast(${items} as bigint[]))`.execute(tx);
  },
};

/** Returns the word of a partition; no word of a text holds a colon. */
function toScopeWord({ collection, visibility }: SearchScope): string {
  return `${collection}:${visibility}`;
}

/** Truncates a word, without splitting a character. */
function cut(word: string): string {
  return word.length <= LONGEST_WORD ? word : Array.from(word).slice(0, LONGEST_WORD).join("");
}

function quote(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
