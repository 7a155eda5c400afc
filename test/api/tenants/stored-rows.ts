import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../../../src/storage/sql/schema.ts";
import { listTables } from "../../harness/database.ts";
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
export function readProjectRows(
  db: Kysely<Schema>,
  { project }: Pick<Side, "project">,
): Promise<StoredRows> {
  return read(db, (table, columns) => {
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
  db: Kysely<Schema>,
  { organization }: Pick<Side, "organization">,
): Promise<StoredRows> {
  return read(db, (table, columns) => {
    if (columns.has("organization_id")) return `organization_id = '${organization}'`;
    if (table === "organization") return `id = '${organization}'`;
    if (!columns.has("account_id")) return undefined;
    return `account_id IN (SELECT id FROM account WHERE organization_id = '${organization}')`;
  });
}

type Choose = (table: string, columns: ReadonlySet<string>) => string | undefined;

async function read(db: Kysely<Schema>, choose: Choose): Promise<StoredRows> {
  const found: string[] = [];
  for (const { name, columns } of await listTables(db)) {
    const condition = choose(name, columns);
    if (condition === undefined) continue;
    const { rows } =
      await sql`select * from ${sql.table(name)} where ${sql.raw(condition)}`.execute(db);
    found.push(...rows.map((row) => `${name} ${toText(row)}`));
  }
  return found;
}

function toText(row: unknown): string {
  return JSON.stringify(row, (_, value) => {
    if (typeof value === "bigint") return String(value);
    const isBlob = value?.type === "Buffer";
    return isBlob ? createHash("sha1").update(Buffer.from(value.data)).digest("hex") : value;
  });
}
