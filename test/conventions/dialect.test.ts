// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of sources, as texts.

import { expect, test } from "vitest";
import { listMigrations } from "../../src/storage/migrations/check-migration.ts";
import { readFiles } from "./source-files.ts";

/** What only one engine says; each stands in a line of its own here, so that the search is seen to find it. */
const OWN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bglob\b/i, "name glob ?"],
  [/\bcross join\b/i, "from a cross join b on a.x = b.x"],
  [/\binsert or\b/i, "insert or ignore into content_value"],
  [/\breplace into\b/i, "replace into content_value"],
  [/\bjson_(array|each|extract|object|tree|valid)\b/i, "select json_array(1, 2)"],
  [/\bfts5\b/i, "create virtual table words using fts5"],
  [/ match (\$\{|\?)|\bbm25\b|\bhighlight\(/i, "where words match ?"],
  [/\browid\b/i, "select rowid as item"],
  [/\bpragma\b/i, "pragma threads = 1"],
  [/\b(strftime|julianday|unixepoch|datetime)\(/i, "strftime('%s', 'now')"],
  [
    /\b(ifnull|iif|instr|printf|total|group_concat|typeof|changes|last_insert_rowid)\(/i,
    "ifnull(a, b)",
  ],
  [/\bcollate (binary|nocase|rtrim)\b/i, "order by name collate nocase"],
  [/\bsqlite(_|3)?\w*/i, "select * from sqlite_schema"],
  [/\b(indexed by|not indexed|likelihood|unlikely)\b/i, "from content indexed by content_order"],
  [/\border by \w+ is (not )?null\b/i, "select 1 as key order by key is null, key"],
  [/\\u0000|\\0/, '"\\\\u0000"'],
  [/::\w/, "where words @@ ?::tsquery"],
  [/\bts(query|vector)\b/i, "cast(? as tsquery)"],
  [/\bpg_\w+/i, "select pg_advisory_xact_lock(1)"],
  [/\bfor (no key )?(update|share)\b|\bskip locked\b/i, "select 1 from project for no key update"],
  [/\b(unnest|generate_series|nextval|hashtextextended|starts_with|strpos)\(/i, "unnest(?)"],
  [/= (any|all)\(/i, "id = any(?)"],
  [/\b(ilike|similar to|lateral|distinct on)\b/i, "name ilike ?"],
  [/\bto_jsonb?\(|\bjsonb?_(build|agg)\w*\(/i, "select to_json(name)"],
  [/\boffset 0\b/i, "select 1 offset 0"],
];

test("the shared SQL holds nothing that only one engine says", () => {
  const files = readFiles("src/storage/sql", ".ts");
  expect(files.length).toBeGreaterThan(50);
  const found = files.flatMap(({ path, text }) =>
    findOwnWords(text).map((line) => `${path}: ${line}`),
  );
  expect(found).toEqual([]);
});

for (const [word, sample] of OWN_WORDS) {
  test(`'${sample}' would be found`, () => {
    expect(sample).toMatch(word);
    expect(findOwnWords(`const a = 1;\n  sql\`${sample}\`; // of SQLite`)).toEqual([
      `sql\`${sample}\`;`,
    ]);
    expect(findOwnWords(`// ${sample}\n/**\n * ${sample}\n */`)).toEqual([]);
  });
}

test("the migrations of the engines end with the same number", () => {
  const newest = ["sqlite", "postgres"].map(
    (name) =>
      listMigrations(new URL(`../../src/storage/migrations/${name}/`, import.meta.url)).at(-1)
        ?.number,
  );
  expect(newest[0]).toBeGreaterThan(0);
  expect(newest[1]).toBe(newest[0]);
});

/** Lists the lines outside of comments and imports that hold such a word. */
function findOwnWords(text: string): string[] {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .split("\n")
    .map((line) => line.replace(/(^|\s)\/\/ .*$/, "").trim())
    .filter((line) => !line.startsWith("import ") && !line.startsWith("} from "))
    .filter((line) => OWN_WORDS.some(([word]) => word.test(line)));
}
