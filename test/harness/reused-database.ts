import pg from "pg";
import type { Dataset } from "../../demo/data/dataset-records.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { KeptClient } from "./kept-client.ts";
import { loadDataset } from "./load-dataset.ts";
import { createDatabase } from "./postgres-databases.ts";

/** The resets after which a database is cleaned of the rows that they deleted. */
const RESETS_PER_VACUUM = 50;

/**
 * A database that the tests of this process use one after the other: to empty it takes less time than to create
 * another one.
 */
export interface ReusedDatabase {
  readonly url: string;
  /** Lets the next test use it; no connection of a test may be open. */
  giveBack(): void;
}

/** Returns a database that holds nothing but a dataset. */
export async function takeDatabase(dataset?: Dataset): Promise<ReusedDatabase> {
  const database = idle.pop() ?? (await ResettableDatabase.create());
  await database.reset(dataset);
  return { url: database.url, giveBack: () => void idle.push(database) };
}

const idle: ResettableDatabase[] = [];

class ResettableDatabase {
  readonly url: string;
  readonly #client: pg.Client;
  readonly #tables: readonly string[];
  /** How often each dataset was loaded, or where its rows are kept. */
  readonly #datasets = new WeakMap<Dataset, { loads: number; schema?: string }>();
  #schemas = 0;
  #resets = 0;

  private constructor(url: string, client: pg.Client, tables: readonly string[]) {
    this.url = url;
    this.#client = client;
    this.#tables = tables;
  }

  static async create(): Promise<ResettableDatabase> {
    const { url } = await createDatabase("empty");
    const client = new pg.Client({ connectionString: url });
    // The server may end before this process.
    client.on("error", () => {});
    await client.connect();
    // Neither triggers nor foreign keys take part.
    await client.query("set session_replication_role = replica");
    const { rows } = await client.query(
      "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migration'",
    );
    const tables: string[] = rows.map(({ name }) => name);
    const statements = tables.map((it) => `delete from ${it};`).join(" ");
    await client.query(
      `create procedure pg_temp.empty() language plpgsql as $$ begin ${statements} end $$`,
    );
    return new ResettableDatabase(url, client, tables);
  }

  async reset(dataset: Dataset | undefined): Promise<void> {
    const isNew = this.#resets === 0;
    this.#resets += 1;
    if (this.#resets % RESETS_PER_VACUUM === 0) {
      await this.#client.query(`vacuum ${this.#tables.join(", ")}`);
    }
    if (!isNew) await this.#client.query("call pg_temp.empty()");
    if (dataset !== undefined) await this.#fill(dataset);
  }

  async #fill(dataset: Dataset): Promise<void> {
    const known = this.#datasets.get(dataset) ?? { loads: 0 };
    this.#datasets.set(dataset, known);
    if (known.schema !== undefined) {
      await this.#client.query(`call ${known.schema}.restore()`);
      return;
    }
    const store = await openPostgresStore(
      { engine: "postgres", url: this.url },
      { Client: KeptClient },
    );
    await loadDataset(store, dataset);
    await store.close();
    known.loads += 1;
    // Most datasets are loaded once.
    if (known.loads === 2) known.schema = await this.#save();
  }

  /** Copies all rows to a schema of their own. */
  async #save(): Promise<string> {
    this.#schemas += 1;
    const schema = `saved_${this.#schemas}`;
    const filled: string[] = [];
    for (const table of this.#tables) {
      const { rows } = await this.#client.query(`select from ${table} limit 1`);
      if (rows.length > 0) filled.push(table);
    }
    const copies = filled.map((it) => `create table ${schema}.${it} as table ${it};`);
    const inserts = filled.map((it) => `insert into ${it} table ${schema}.${it};`);
    await this.#client.query(`create schema ${schema}; ${copies.join(" ")}`);
    await this.#client.query(
      `create procedure ${schema}.restore() language plpgsql as $$ begin ${inserts.join(" ")} end $$`,
    );
    return schema;
  }
}
