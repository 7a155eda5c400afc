import Database from "better-sqlite3";
import { sql } from "kysely";
import { type KqlNode, matchKql } from "../../../src/domain/kql/index.ts";
import { toLeafRows } from "../../../src/storage/content/leaf-rows.ts";
import type { Db } from "../../../src/storage/db/db.ts";
import {
  build,
  type CompiledText,
  compile as compileQuery,
  type EngineCompiler,
  type Query,
} from "../../../src/storage/db/query.ts";
import { readSettings } from "../../../src/storage/postgres/client-settings.ts";
import { POSTGRES_DIALECT } from "../../../src/storage/postgres/dialect.ts";
import { PostgresPool } from "../../../src/storage/postgres/postgres-pool.ts";
import { POSTGRES_COMPILER } from "../../../src/storage/postgres/query-compiler.ts";
import type { Dialect } from "../../../src/storage/sql/base/dialect.ts";
import { createListBudget } from "../../../src/storage/sql/base/list-budget.ts";
import {
  type ExistingPaths,
  findExistingPaths,
} from "../../../src/storage/sql/content/filter/field-names.ts";
import { compileKql, findCost } from "../../../src/storage/sql/content/filter/kql-filter.ts";
import { SQLITE_DIALECT } from "../../../src/storage/sqlite/dialect.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import { SQLITE_COMPILER, SqliteReader } from "../../../src/storage/sqlite/sqlite-db.ts";
import { ENGINE } from "../../harness/engine.ts";
import { createDatabase, dropDatabase } from "../../harness/postgres-databases.ts";

/** A database that holds documents as rows and filters them by SQL. */
export interface LeafDatabase {
  /** Replaces what is held; the number of a document is its place. */
  fill(documents: readonly unknown[]): Promise<void>;
  /** Returns the numbers of the documents that a filter takes, in order: by SQL as far as there is any for it. */
  select(node: KqlNode, now?: number): Promise<readonly number[]>;
  /** Returns the statement of a filter, with the placeholders of SQLite, and what is bound to it. */
  compile(node: KqlNode, now?: number): { readonly sql: string; readonly parameters: unknown[] };
  /** Returns the steps that SQLite would take. */
  explain(node: KqlNode, now?: number): readonly string[];
  close(): Promise<void>;
}

/** Opens an empty database of {@link ENGINE} with the tables of the product. */
export function openLeafDatabase(): LeafDatabase {
  return ENGINE === "sqlite" ? openInMemory() : openOnServer();
}

function openInMemory(): LeafDatabase {
  const database = new Database(":memory:");
  migrate(database);
  database.exec(`
    insert into organization (id, create_time, update_time, revision, doc) 
      values ('o', 0, 0, 1, x'');
    insert into project (id, organization_id, create_time, update_time, revision, doc) 
      values ('p', 'o', 0, 0, 1, x'');
    insert into content_collection (collection, project_id, kind) values (1, 'p', 'event'), (2, 'p', 'entity');
  `);
  const db = new SqliteReader(() => database);
  const addItem = database.prepare(
    "insert into content values (?, 'o', 1, 'event', ?, 1, 0, 0, 0, 1, '{}', '', '~')",
  );
  const addPath = database.prepare(
    "insert into content_path (collection, name) values (?, ?) on conflict do nothing",
  );
  const path = "(select path from content_path where collection = 1 and name = :path)";
  const addLeaf = database.prepare(
    `insert into content_leaf values (:item, ${path}, :position, :key, :text)`,
  );
  const fill = database.transaction((documents: readonly unknown[]) => {
    for (const table of ["content", "content_leaf", "content_path"]) {
      database.exec(`delete from ${table}`);
    }
    for (const [item, document] of documents.entries()) {
      const leaves = toLeafRows(document);
      addItem.run(item, `${item}`);
      for (const { path: name } of leaves) {
        addPath.run(1, name);
        addPath.run(2, name);
      }
      for (const [position, row] of leaves.entries()) addLeaf.run({ item, position, ...row });
    }
  });
  let held: Documents = [];
  return {
    async fill(documents) {
      held = documents;
      fill(documents);
    },
    select: (node, now) =>
      selectParts(node, held, now, (part) => selectBySql(db, SQLITE_DIALECT, part, now)),
    compile(node, now) {
      const { text, values } = compile(SQLITE_COMPILER, SQLITE_DIALECT, node, now);
      return { sql: text, parameters: [...values] };
    },
    explain(node, now) {
      const { text, values } = compile(SQLITE_COMPILER, SQLITE_DIALECT, node, now);
      const steps = database.prepare(`explain query plan ${text}`).all(...values);
      return steps.map((step) => String(Object(step).detail));
    },
    close: async () => void database.close(),
  };
}

/** Opens a database of the server of the run, on first use. */
function openOnServer(): LeafDatabase {
  const opened = openDatabase();
  // Whoever uses it gets the failure.
  opened.catch(() => {});
  let held: Documents = [];
  return {
    async fill(documents) {
      held = documents;
      const { db } = await opened;
      const rows = documents.map((document) => toLeafRows(document));
      const names = rows.flatMap((leaves) => leaves.map(({ path }) => path));
      await db.transaction(async (tx) => {
        for (const table of ["content", "content_leaf", "content_path"]) {
          await tx.run(sql`delete from ${sql.table(table)}`);
        }
        await tx.run(sql`
          insert into content
          select item, 'o', 1, 'event', cast(item as text), 1, 0, 0, 0, 1, '{}'
          from generate_series(0, ${documents.length - 1}) as item
        `);
        await tx.run(sql`
          insert into content_path (collection, name)
          select collection, name from (values (1), (2)) as every (collection),
            (select distinct unnest(cast(${names} as text[]))) as known (name)
        `);
        const leaves = rows.flatMap((leaves, item) =>
          leaves.map((leaf, position) => ({ item, position, ...leaf })),
        );
        await tx.run(sql`
          insert into content_leaf
          select item, content_path.path, position, key, text
          from json_to_recordset(cast(${JSON.stringify(leaves)} as json))
            as leaf (item int, path text, position int, key text, text text)
          join content_path on collection = 1 and name = leaf.path
        `);
      });
    },
    async select(node, now) {
      const { db } = await opened;
      return selectParts(node, held, now, (part) => selectBySql(db, POSTGRES_DIALECT, part, now));
    },
    compile(node, now) {
      const { text, values } = compile(POSTGRES_COMPILER, POSTGRES_DIALECT, node, now);
      return { sql: text.replaceAll(/\$\d+/g, "+?"), parameters: [...values] };
    },
    explain() {
      throw new Error("only SQLite explains its steps");
    },
    async close() {
      const { db, name } = await opened;
      await db.close();
      await dropDatabase(name);
    },
  };
}

/** Lists the numbers of the documents that SQL takes; undefined for a filter that it cannot test. */
async function selectBySql(
  db: Db,
  dialect: Dialect,
  node: KqlNode,
  now: number | undefined,
): Promise<readonly number[] | undefined> {
  const budget = createListBudget();
  const existing = await findExistingPaths(node, { db, collection: 1, budget });
  if (findCost(node, { existing }) === undefined) return undefined;
  const rows = await db.all(toQuery(dialect, node, now, existing));
  return rows.map((row) => row.item).sort((a, b) => a - b);
}

const NOTHING_EXISTS: ExistingPaths = new Map();

/** The documents that are held, as databases keep their texts. */
type Documents = readonly unknown[];

/**
 * Lists the numbers of the documents that a filter takes: by SQL where it has any for the filter or a part of it, by
 * the language where lists test in memory.
 */
async function selectParts(
  node: KqlNode,
  documents: Documents,
  now: number | undefined,
  select: (node: KqlNode) => Promise<readonly number[] | undefined>,
): Promise<readonly number[]> {
  const found = await select(node);
  if (found !== undefined) return found;
  const all = documents.map((_, index) => index);
  const part = async (item: KqlNode) => new Set(await selectParts(item, documents, now, select));
  if (node.type === "not") {
    const left = await part(node.item);
    return all.filter((index) => !left.has(index));
  }
  if (node.type === "and" || node.type === "or") {
    const parts: ReadonlySet<number>[] = [];
    for (const item of node.items) parts.push(await part(item));
    const isTaken = (index: number) => (it: ReadonlySet<number>) => it.has(index);
    return all.filter((index) =>
      node.type === "and" ? parts.every(isTaken(index)) : parts.some(isTaken(index)),
    );
  }
  const asked = toWellFormed(node);
  return all.filter((index) => matchKql(asked, toWellFormed(documents[index]), now));
}

/** Returns a JSON value with U+FFFD for every lone surrogate, in keys too. */
export function toWellFormed<T>(value: T): T;
export function toWellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item) => toWellFormed(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), toWellFormed(member)]),
  );
}

async function openDatabase() {
  const { name, url } = await createDatabase("empty");
  const settings = readSettings({ engine: "postgres", url });
  const db = new PostgresPool(settings, { name: "write", most: 1 });
  const document = { create_time: 0, update_time: 0, revision: 1, doc: Buffer.of() };
  await db.all(
    build.insertInto("organization").values({ id: "o", change_count: 0, uid: "", ...document }),
  );
  await db.all(
    build
      .insertInto("project")
      .values({ id: "p", organization_id: "o", change_count: 0, uid: "", ...document }),
  );
  await db.all(sql`insert into content_collection values (1, 'p', 'event'), (2, 'p', 'entity')`);
  return { db, name };
}

function compile(
  compiler: EngineCompiler,
  dialect: Dialect,
  node: KqlNode,
  now: number | undefined,
): CompiledText {
  return compileQuery(toQuery(dialect, node, now), compiler);
}

function toQuery(
  dialect: Dialect,
  node: KqlNode,
  now: number | undefined,
  existing: ExistingPaths = NOTHING_EXISTS,
): Query<{ readonly item: number }> {
  const where = compileKql(node, { collection: 1, dialect, now, existing });
  return build.selectFrom("content as source").select("item").where(where);
}
