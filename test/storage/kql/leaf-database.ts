import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { Kysely, sql } from "kysely";
import type { KqlNode } from "../../../src/domain/kql/index.ts";
import { toFilterForm } from "../../../src/storage/sql/content/filter/filter-form.ts";
import { FormValues } from "../../../src/storage/sql/content/filter/form-values.ts";
import { compileKql } from "../../../src/storage/sql/content/filter/kql-filter.ts";
import { PlannedStatement } from "../../../src/storage/sql/content/plan/planned-statement.ts";
import { toLeafRows } from "../../../src/storage/sql/content/write/leaf-rows.ts";
import type { Schema } from "../../../src/storage/sql/schema.ts";
import { SQLITE_DIALECT } from "../../../src/storage/sqlite/dialect.ts";
import { addFunctions } from "../../../src/storage/sqlite/functions.ts";
import { StablePlanDialect } from "../../../src/storage/sqlite/stable-plan-dialect.ts";

const MIGRATION = new URL(
  "../../../src/storage/migrations/sqlite/0005_foundation.sql",
  import.meta.url,
);

/** A database in memory that holds documents as rows and filters them by SQL alone. */
export interface LeafDatabase {
  /** Replaces what is held; the number of a document is its place. */
  fill(documents: readonly unknown[]): void;
  /** Answers the numbers of the documents that a filter takes, in order. */
  select(node: KqlNode, now?: number): Promise<readonly number[]>;
  /** Answers the statement of a filter and what is bound to it. */
  compile(node: KqlNode, now?: number): { readonly sql: string; readonly parameters: unknown[] };
  /** Answers the steps that the engine would take. */
  explain(node: KqlNode, now?: number): readonly string[];
  close(): Promise<void>;
}

/** Opens an empty database with the tables of the product. */
export function openLeafDatabase(): LeafDatabase {
  const database = new Database(":memory:");
  addFunctions(database);
  database.exec(readFileSync(MIGRATION, "utf8"));
  database.exec(`
    insert into organization (id, create_time, update_time, revision, doc) 
      values ('o', 0, 0, 1, x'');
    insert into project (id, organization_id, create_time, update_time, revision, doc) 
      values ('p', 'o', 0, 0, 1, x'');
    insert into content_collection values (1, 'p', 'event');
    insert into content_collection values (2, 'p', 'entity');
  `);
  const db = new Kysely<Schema>({ dialect: new StablePlanDialect({ database }) });
  const addItem = database.prepare(
    "insert into content values (?, 1, 'event', ?, 1, 0, 0, 0, 1, '{}')",
  );
  const addPath = database.prepare(
    "insert into content_path (collection, name) values (?, ?) on conflict do nothing",
  );
  const path = "(select path from content_path where collection = 1 and name = :path)";
  const addLeaf = database.prepare(
    `insert into content_leaf values (:item, ${path}, :node, :position, :key, :text)`,
  );
  const addNode = database.prepare(
    `insert into content_node values (:item, ${path}, :node, :nodeLast)`,
  );
  const compile = (node: KqlNode, now: number | undefined) => {
    const values = new FormValues();
    const form = toFilterForm(node, { values, now, dialect: SQLITE_DIALECT });
    const query = db
      .selectFrom("content")
      .select("item")
      .where(
        compileKql(form, {
          item: sql.ref("content.item"),
          collection: sql.lit(1),
          dialect: SQLITE_DIALECT,
        }),
      );
    return new PlannedStatement(query.compile()).bind({ filter: values.list(), list: {} });
  };
  return {
    fill: database.transaction((documents: readonly unknown[]) => {
      for (const table of ["content", "content_leaf", "content_node", "content_path"]) {
        database.exec(`delete from ${table}`);
      }
      for (const [item, document] of documents.entries()) {
        const { leaves, nodes } = toLeafRows(document);
        addItem.run(item, `${item}`);
        for (const { path: name } of [...leaves, ...nodes]) {
          addPath.run(1, name);
          addPath.run(2, name);
        }
        for (const [position, row] of leaves.entries()) addLeaf.run({ item, position, ...row });
        for (const row of nodes) addNode.run({ item, ...row });
      }
    }),
    async select(node, now) {
      const { rows } = await db.executeQuery(compile(node, now));
      return rows.map((row) => row.item).sort((a, b) => a - b);
    },
    compile(node, now) {
      const compiled = compile(node, now);
      return { sql: compiled.sql, parameters: [...compiled.parameters] };
    },
    explain(node, now) {
      const { sql: statement, parameters } = compile(node, now);
      const steps = database.prepare(`explain query plan ${statement}`).all(...parameters);
      return steps.map((step) => String(Object(step).detail));
    },
    close: () => db.destroy(),
  };
}
