import { hash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../../../gen/tables.ts";
import { listTables, type TableInfo } from "../../harness/database.ts";

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

/** Whose rows are read. */
export interface Owners {
  readonly projects: readonly string[];
  readonly organizations: readonly string[];
}

/**
 * Reads every row of every table that shows which project it is of, with the project's content, and of every table
 * that shows which organization.
 */
export async function readRows(
  db: Kysely<Schema>,
  { projects, organizations }: Owners,
): Promise<StoredRows> {
  const found: string[] = [];
  for (const { name, columns } of await tablesOf(db)) {
    const conditions = [
      ...(projects.length === 0 ? [] : ofProjects(name, columns, toList(projects))),
      ...(organizations.length === 0 ? [] : ofOrganizations(name, columns, toList(organizations))),
    ];
    if (conditions.length === 0) continue;
    const condition = sql.raw(conditions.join(" OR "));
    const { rows } = await sql`select * from ${sql.table(name)} where ${condition}`.execute(db);
    for (const row of rows) found.push(`${name} ${toText(row)}`);
  }
  return found;
}

function ofProjects(table: string, columns: ReadonlySet<string>, projects: string): string[] {
  if (columns.has("project_id")) return [`project_id IN ${projects}`];
  if (table === "project") return [`id IN ${projects}`];
  const own = `(SELECT collection FROM content_collection WHERE project_id IN ${projects})`;
  if (columns.has("collection")) return [`collection IN ${own}`];
  if (columns.has("item") && table.startsWith("content_")) {
    return [`item IN (SELECT item FROM content WHERE collection IN ${own})`];
  }
  return [];
}

function ofOrganizations(
  table: string,
  columns: ReadonlySet<string>,
  organizations: string,
): string[] {
  if (columns.has("organization_id")) return [`organization_id IN ${organizations}`];
  if (table === "organization") return [`id IN ${organizations}`];
  if (!columns.has("account_id")) return [];
  return [`account_id IN (SELECT id FROM account WHERE organization_id IN ${organizations})`];
}

const toList = (names: readonly string[]) => `(${names.map((it) => `'${it}'`).join(", ")})`;

/** The tables of each database, which stay as they are. */
const tables = new WeakMap<Kysely<Schema>, Promise<TableInfo[]>>();

function tablesOf(db: Kysely<Schema>): Promise<TableInfo[]> {
  const listed = tables.get(db) ?? listTables(db);
  tables.set(db, listed);
  return listed;
}

function toText(row: unknown): string {
  const values = Object.entries(Object(row)).map(([name, value]) => {
    if (typeof value === "bigint") return [name, String(value)];
    return [name, Buffer.isBuffer(value) ? hash("sha1", value) : value];
  });
  return JSON.stringify(values);
}
