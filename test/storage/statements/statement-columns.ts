import Database from "better-sqlite3";
import pg from "pg";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { EngineName } from "../../harness/engine.ts";
import { createDatabase, dropDatabase } from "../../harness/postgres-databases.ts";

/** Prepares a statement and returns the columns of its rows; rejects a statement that is not valid. */
export type FindColumns = (text: string) => Promise<readonly string[]>;

/** Runs with an empty database of an engine that prepares statements. */
export const WITH_COLUMNS: Readonly<
  Record<EngineName, (run: (columnsOf: FindColumns) => Promise<void>) => Promise<void>>
> = {
  async sqlite(run) {
    const database = new Database(":memory:");
    for (const kind of ["content", "leases"] as const) {
      database.pragma("user_version = 0");
      migrate(database, kind);
    }
    await run(async (text) => {
      const statement = database.prepare(text);
      return statement.reader ? statement.columns().map(({ name }) => name) : [];
    });
    database.close();
  },
  async postgres(run) {
    const { name, url } = await createDatabase("empty");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await run(
        (text) =>
          new Promise((resolve, reject) => {
            client.query(new Description(text, resolve, reject));
          }),
      );
    } finally {
      await client.end();
      await dropDatabase(name);
    }
  },
};

/** Asks a server for the columns of a statement, which does not run. */
class Description implements pg.Submittable {
  readonly #text: string;
  readonly #resolve: (columns: readonly string[]) => void;
  readonly #reject: (error: Error) => void;
  #columns: readonly string[] = [];
  #isRejected = false;

  constructor(
    text: string,
    resolve: (columns: readonly string[]) => void,
    reject: (error: Error) => void,
  ) {
    this.#text = text;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    connection.parse({ name: "", text: this.#text, types: [] }, true);
    connection.describe({ type: "S", name: "" }, true);
    connection.sync();
  }

  handleRowDescription({
    fields,
  }: {
    readonly fields: readonly { readonly name: string }[];
  }): void {
    this.#columns = fields.map(({ name }) => name);
  }

  handleError(error: Error): void {
    this.#isRejected = true;
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (!this.#isRejected) this.#resolve(this.#columns);
  }
}
