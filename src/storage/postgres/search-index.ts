import { type Expression, type SqlBool, sql } from "kysely";
import type { Condition } from "../sql/content/filter/conditions.ts";
import type { Bound } from "../sql/content/filter/form-values.ts";
import type { SearchIndex, SearchScope } from "../sql/dialect.ts";

type SearchTables = { content_search: { item: number; part: number; words: string } };

/** The shortest search word that matches prefixes: too many words begin with a shorter one. */
const SHORTEST_START = 3;

/** The most characters of a word that the index holds; it takes up to 2,046 bytes. */
const LONGEST_WORD = 500;

/** The bytes of words in one row, which takes less than 1 MiB of them. */
const MOST_BYTES = 900_000;

/**
 * The full-text index: for each item its words, and one that stands for its partition, as a sorted list without
 * places, which a GIN index inverts. The words are ours: no dictionary or parser of PostgreSQL changes them. The
 * words of a very long item are in several rows, so its words are looked up one by one.
 */
export const SEARCH_INDEX: SearchIndex = {
  // A prefix that begins words of a million items takes a second, and testing twenty of those a millisecond.
  countsInSteps: false,

  async toQuery(_, words) {
    return words
      .map((word) => `${quote(cut(word))}${word.length < SHORTEST_START ? "" : ":*"}`)
      .join(AND);
  },

  narrow: (query, scope) => `${quote(toScopeWord(scope))}${AND}${query}`,

  select: (query) => sql`
    select item, cast(null as bigint) as sort_time, cast(null as text) as id from (
      select item from content_search where part = 0 and words @@ cast(cast(${query} as text) as tsquery)
      union all
      select item from content_search as long where part = 1 and ${hasAllWords(query, sql`long.item`)}
    ) as found
  `,

  matches: hasAllWords,

  insert(tx, bulk) {
    const rows = bulk(tx.withTables<SearchTables>(), "content_search", ["item", "part", "words"]);
    return {
      add(item, scope, text) {
        const words = new Set(text.split(" ").filter(Boolean).map(cut));
        const parts = toParts([toScopeWord(scope), ...words]);
        // Item by item the first row has all words, or there are rows from 1 on.
        const first = parts.length > 1 ? 1 : 0;
        for (const [index, own] of parts.entries()) {
          rows.add(item, first + index, own.map(quote).join(" "));
        }
      },

      // The index finds prefixes itself.
      addWords() {},

      flush: rows.flush,
    };
  },

  async erase(tx, items) {
    await sql`delete from content_search where item = any(cast(${items} as bigint[]))`.execute(tx);
  },
};

/** Separates the words of a query; no word holds a space. */
const AND = " & ";

/** Holds for an item that has each word of a query, in whichever of its rows. */
function hasAllWords(query: Bound, item: Expression<unknown>): Condition {
  return sql<SqlBool>`not exists (
    select 1 from unnest(string_to_array(cast(${query} as text), ${sql.lit(AND)})) as one (word)
    where not exists (
      select 1 from content_search as own
      where own.item = ${item} and own.words @@ cast(one.word as tsquery) offset 0
    ) offset 0
  )`;
}

/** Cuts words into lists that fit into a row each. */
function toParts(words: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let bytes = 0;
  for (const word of words) {
    bytes += Buffer.byteLength(word);
    if (bytes > MOST_BYTES) {
      parts.push([]);
      bytes = Buffer.byteLength(word);
    }
    parts.at(-1)?.push(word);
  }
  return parts;
}

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
