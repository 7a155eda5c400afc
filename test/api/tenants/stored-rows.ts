import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import type { Side } from "./sides.ts";

/** Rows as text, each with its table in front and documents as their hashes. */
export type StoredRows = readonly string[];

/** Lists the rows that are gone, with `-`, and those that have come, with `+`. */
export function listChanges(before: StoredRows, after: StoredRows): string[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...before.filter((row) => !now.has(row)).map((row) => `- ${row}`),
    ...after.filter((row) => !old.has(row)).map((row) => `+ ${row}`),
  ];
}

/** Reads every row of every table that tells which project it is of, and the project's content. */
export function readProjectRows(file: string, { project }: Pick<Side, "project">): StoredRows {
  return read(file, (table, columns) => {
    if (columns.has("project_id")) return `project_id = '${project}'`;
    if (table === "project") return `id = '${project}'`;
    const own = `(SELECT collection FROM content_collection WHERE project_id = '${project}')`;
    if (columns.has("collection")) return `collection IN ${own}`;
    if (columns.has("item") && table.startsWith("content_")) {
      return `item IN (SELECT item FROM content WHERE collection IN ${own})`;
    }
    return undefined;
  });
}

/** Reads every row of every table that tells which organization it is of. */
export function readOrganizationRows(
  file: string,
  { organization }: Pick<Side, "organization">,
): StoredRows {
  return read(file, (table, columns) => {
    if (columns.has("organization_id")) return `organization_id = '${organization}'`;
    if (table === "organization") return `id = '${organization}'`;
    if (!columns.has("account_id")) return undefined;
    return `account_id IN (SELECT id FROM account WHERE organization_id = '${organization}')`;
  });
}

type Choose = (table: string, columns: ReadonlySet<string>) => string | undefined;

function read(file: string, choose: Choose): StoredRows {
  const database = new Database(file, { readonly: true });
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'content_search%'",
    )
    .pluck()
    .all() as string[];
  const rows: string[] = [];
  for (const table of tables) {
    const columns = database.pragma(`table_info(${table})`) as { readonly name: string }[];
    const condition = choose(table, new Set(columns.map(({ name }) => name)));
    if (condition === undefined) continue;
    const found = database.prepare(`SELECT * FROM ${table} WHERE ${condition}`).all();
    rows.push(...found.map((row) => `${table} ${toText(row)}`));
  }
  database.close();
  return rows;
}

function toText(row: unknown): string {
  return JSON.stringify(row, (_, value) => {
    const isBlob = value?.type === "Buffer";
    return isBlob ? createHash("sha1").update(Buffer.from(value.data)).digest("hex") : value;
  });
}
