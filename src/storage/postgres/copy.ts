import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Kysely, PostgresDialect, type Transaction } from "kysely";
import pg, { DatabaseError } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { type CopySource, type CopyTarget, RowRefusal, type RunOn } from "../copy/copy-side.ts";
import { COPIED_TABLES, type CopiedTable } from "../copy/tables.ts";
import type { Schema } from "../sql/schema.ts";
import { type PostgresAddress, readAddress } from "./client-settings.ts";
import { POSTGRES_DIALECT } from "./dialect.ts";
import { translateError } from "./errors.ts";
import { SELECT_SCHEMA } from "./migrate.ts";
import { BEGIN_READ, BEGIN_WRITE, openPostgresStore } from "./open.ts";
import { type RunStatement, suspendIndexes } from "./suspend-indexes.ts";

/** The settings of a copy's transaction: it may wait long for the other database, and sorts much. */
const SETTINGS = `
  set local idle_in_transaction_session_timeout = 0;
  set local statement_timeout = 0;
  set local bytea_output = 'hex';
  set local work_mem = '64MB';
  set local maintenance_work_mem = '256MB';
`;

/** The SQLSTATEs of a row that cannot be stored: a value, a constraint or a size that does not fit. */
const REFUSALS = /^(?:22|23|54)/;

/** Returns a runner of copies from a database. */
export function readPostgres(address: PostgresAddress): RunOn<CopySource> {
  return (run) =>
    runOn(address, BEGIN_READ, async (client) => {
      const { rows } = await client.query(SELECT_SCHEMA);
      return run({ migration: rows[0].number, ...createReads(client) });
    });
}

/** Returns a runner of copies to a database. */
export function writePostgres(address: PostgresAddress): RunOn<CopyTarget> {
  return (run) =>
    runOn(address, BEGIN_WRITE, async (client) => {
      await POSTGRES_DIALECT.lock(toTransaction(client), "installation");
      return run(createTarget(client));
    });
}

async function runOn<T>(
  address: PostgresAddress,
  begin: string,
  run: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const store = await openPostgresStore(address);
  await store.close();
  const client = new pg.Client(readAddress(address).toConfig());
  // The statement that runs reports what happened; without a listener the process would end.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(begin);
    await client.query(SETTINGS);
    const result = await run(client);
    await client.query("commit");
    return result;
  } catch (fault) {
    throw translateError(fault);
  } finally {
    // Without a commit, the server rolls the transaction back.
    await client.end().catch(() => {});
  }
}

function createReads(client: pg.Client): Pick<CopySource, "count" | "read"> {
  return {
    async count({ name }) {
      const { rows } = await client.query(`select count(*) as count from ${name}`);
      return Number(rows[0].count);
    },
    read({ name, key, columns }) {
      const select = `select ${listNames(columns)} from ${name} order by ${key.join(", ")}`;
      const rows = client.query(copyTo(`copy (${select}) to stdout`));
      // Of a reader that stops early the connection ends, which nobody waits for.
      rows.on("error", () => {});
      return rows;
    },
  };
}

function createTarget(client: pg.Client): CopyTarget {
  return {
    ...createReads(client),

    async isEmpty({ name }) {
      const { rows } = await client.query(`select from ${name} limit 1`);
      return rows.length === 0;
    },

    async clear({ name }) {
      await client.query(`delete from ${name}`);
    },

    async write({ name, columns }, rows) {
      const target = client.query(copyFrom(`copy ${name} (${listNames(columns)}) from stdin`));
      try {
        await pipeline(Readable.from(rows, { objectMode: false }), target);
      } catch (fault) {
        throw toRefusal(fault);
      }
    },

    async suspendIndexes() {
      const names = COPIED_TABLES.map(({ name }) => name);
      const run: RunStatement = (text, parameters) => client.query(text, [...(parameters ?? [])]);
      const resume = await suspendIndexes(run, names);
      return async () => {
        await resume();
        for (const { name } of COPIED_TABLES) await client.query(`analyze ${name}`);
      };
    },

    async continueNumbers() {
      await setLast(client, "'content_item'", "content", "item");
      for (const [table, column] of [
        ["content_collection", "collection"],
        ["content_path", "path"],
      ] as const) {
        await setLast(client, `pg_get_serial_sequence('${table}', '${column}')`, table, column);
      }
    },
  };
}

async function setLast(client: pg.Client, sequence: string, table: string, column: string) {
  await client.query(
    `select setval(${sequence}, max(${column})) from ${table} having max(${column}) is not null`,
  );
}

/** Returns the open transaction of a connection for statements of the store. */
function toTransaction(client: pg.Client): Transaction<Schema> {
  const pooled = Object.assign(client, { release() {} });
  const pool = { connect: async () => pooled, end: async () => {}, options: {} };
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }) as Transaction<Schema>;
}

function listNames(columns: CopiedTable["columns"]): string {
  return columns.map(([name]) => name).join(", ");
}

function toRefusal(fault: unknown): unknown {
  if (!(fault instanceof DatabaseError) || !REFUSALS.test(fault.code ?? "")) return fault;
  const [, line = "0"] = /, line (\d+)/.exec(fault.where ?? "") ?? [];
  return new RowRefusal(Number(line), fault);
}
