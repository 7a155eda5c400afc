import pg from "pg";
import { Code, DatabaseSetupError, DomainError } from "../../domain/base/errors.ts";
import type { StateLog } from "../contract/connection-pool.ts";
import {
  beginMigration,
  listMigrations,
  type MigrationState,
  missingDatabase,
  STOP_FIRST,
} from "../migrations/check-migration.ts";
import { BEGIN_WRITE, type ClientSettings, WITHOUT_TIMEOUTS } from "./client-settings.ts";
import { translateError } from "./errors.ts";
import type { PostgresPool } from "./postgres-pool.ts";

const FOLDER = new URL("../migrations/postgres/", import.meta.url);

/** The oldest server: earlier ones reject subqueries without an alias. */
const OLDEST_SERVER = 160_000;

/** Selects the number of the last applied migration; the table has one row. */
export const SELECT_SCHEMA = "select number from schema_migration";

/** The comment on the table of a database of this line of releases, like the application id of an SQLite file. */
const MARK = "Marquee";

/** A lock for the process that migrates; others wait, and then find nothing to do. */
export const LOCK = "select pg_advisory_xact_lock(hashtextextended('marquee migration', 0))";

/** A lock that every process shares on the connection with which it watches for changes. */
const OPEN = "hashtextextended('marquee process', 0)";

/** Shares the lock of the processes that have the database open, until the connection ends. */
export const SHARE_OPEN = `select pg_advisory_lock_shared(${OPEN})`;

/** Takes that lock alone until the transaction ends, unless a process shares it. */
const TRY_ALONE = `select pg_try_advisory_xact_lock(${OPEN}) as alone`;

/**
 * Checks the server and applies all missing migrations in one transaction. Throws the errors of `checkMigration`,
 * and:
 * - FAILED_PRECONDITION `DATABASE_IN_USE`: a process of the release before runs, and must stop.
 * - FAILED_PRECONDITION `DATABASE_UNSUPPORTED`: the server is too old, or the encoding of the database is not UTF-8.
 * - NOT_FOUND `DATABASE_MISSING`: it `mustExist` and has no tables of Marquee.
 */
export async function migrate(
  settings: ClientSettings,
  runner: Pick<PostgresPool, "query">,
  { mustExist = false, log }: { readonly mustExist?: boolean; readonly log?: StateLog | undefined },
): Promise<void> {
  const newest = listMigrations(FOLDER).at(-1)?.number ?? 0;
  await checkServer(runner);
  const applied = await readState((text) => runner.query(text));
  if (applied.from === newest) return;
  if (mustExist && applied.from === 0) throw missingDatabase("the PostgreSQL database");
  const announced = beginMigration(applied, FOLDER, log, "content");
  const client = new settings.Client(settings.toConfig());
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(BEGIN_WRITE);
    await client.query(WITHOUT_TIMEOUTS);
    await client.query(LOCK);
    const state = await readState((text) => client.query(text));
    // Another process may have migrated it while this one waited.
    const { statements, mustStop, done } =
      state.from === applied.from ? announced : beginMigration(state, FOLDER, log, "content");
    if (mustStop) {
      const { rows } = await client.query(TRY_ALONE);
      if (!rows[0].alone) {
        const message = `the PostgreSQL database is in use; ${STOP_FIRST}`;
        throw new DomainError(Code.FAILED_PRECONDITION, "DATABASE_IN_USE", message);
      }
    }
    for (const statement of statements) await client.query(statement);
    await client.query("create table if not exists schema_migration (number integer not null)");
    await client.query(`comment on table schema_migration is '${MARK}'`);
    await client.query("delete from schema_migration");
    await client.query("insert into schema_migration (number) values ($1)", [newest]);
    await client.query("commit");
    done();
  } catch (error) {
    throw translateDenial(error, applied) ?? translateError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Says who may migrate a database, if the user of the connection may not; undefined for other errors. */
function translateDenial(cause: unknown, { from }: MigrationState): DatabaseSetupError | undefined {
  if (!(cause instanceof pg.DatabaseError) || cause.code !== "42501") return undefined;
  const remedy =
    from === 0
      ? "start Marquee once as the owner of the database, which creates the tables"
      : "start Marquee once as the owner of the tables, which migrates them";
  return new DatabaseSetupError(`${cause.message}; ${remedy}`, { cause });
}

async function checkServer(runner: Pick<PostgresPool, "query">): Promise<void> {
  const { rows } = await runner.query(
    "select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding",
  );
  const { version, encoding } = rows[0];
  if (version < OLDEST_SERVER) {
    const message = `the server is PostgreSQL ${Math.floor(version / 10_000)}, but 16 or newer is required`;
    throw new DomainError(Code.FAILED_PRECONDITION, "DATABASE_UNSUPPORTED", message);
  }
  if (encoding !== "UTF8") {
    const message = `the encoding of the database is ${encoding}, but UTF8 is required`;
    throw new DomainError(Code.FAILED_PRECONDITION, "DATABASE_UNSUPPORTED", message);
  }
}

async function readState(run: (text: string) => Promise<pg.QueryResult>): Promise<MigrationState> {
  const what = "the PostgreSQL database";
  const { rows } = await run(
    "select name, obj_description(name, 'pg_class') as mark from to_regclass('schema_migration') as name",
  );
  const [{ name, mark }] = rows;
  if (name === null) return { from: 0, isMarked: false, what };
  const found = await run(SELECT_SCHEMA);
  return { from: found.rows[0]?.number ?? 0, isMarked: mark === MARK, what };
}
