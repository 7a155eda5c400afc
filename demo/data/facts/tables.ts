import { readFileSync } from "node:fs";

/** A record of a table: the text of each column, empty if unknown. */
export type Row<Column extends string> = Readonly<Record<Column, string>>;

/** The columns of every table of facts, in the order of writing. */
export const TABLES = {
  teams: ["code", "name", "german", "flag", "confederation", "continent", "group"],
  stadiums: ["season", "key", "name", "city", "country", "capacity"],
  players: ["team", "number", "position", "name", "born", "club", "club_country"],
  matches: [
    "season",
    "number",
    "kick_off",
    "round",
    "group",
    "home",
    "away",
    "stadium",
    "half_time",
    "full_time",
    "extra_time",
    "penalties",
  ],
  goals: ["season", "match", "side", "minute", "kind", "scorer", "scorer_team", "scorer_number"],
} as const;

/** The name of a table of facts, stored as `<name>.tsv` next to this file. */
export type TableName = keyof typeof TABLES;

/** The columns of one table. */
export type ColumnOf<Name extends TableName> = (typeof TABLES)[Name][number];

/** Reads a table: a line of column names, then one record per line, with tabs between columns. */
export function readTable<Name extends TableName>(name: Name): readonly Row<ColumnOf<Name>>[] {
  const columns: readonly ColumnOf<Name>[] = TABLES[name];
  const text = readFileSync(new URL(`${name}.tsv`, import.meta.url), "utf8");
  const [header, ...lines] = text.replace(/\n$/, "").split("\n");
  if (header !== columns.join("\t")) throw new Error(`${name}.tsv has other columns`);
  return lines.map((line) => {
    const cells = line.split("\t");
    if (cells.length !== columns.length) throw new Error(`${name}.tsv is broken at: ${line}`);
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ""])) as Row<
      ColumnOf<Name>
    >;
  });
}

/** Writes a table in the format of `readTable`. */
export function formatTable<Name extends TableName>(
  name: Name,
  rows: readonly Row<ColumnOf<Name>>[],
): string {
  const columns: readonly ColumnOf<Name>[] = TABLES[name];
  const lines = rows.map((row) => columns.map((column) => row[column]).join("\t"));
  return `${[columns.join("\t"), ...lines].join("\n")}\n`;
}
