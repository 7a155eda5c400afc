import Database from "better-sqlite3";
import { Kysely, SqliteDialect, sql } from "kysely";
import type { KqlNode } from "../../../src/domain/kql/index.ts";
import { compileKql } from "../../../src/storage/sql/kql-filter.ts";
import { type LeafTables, toLeafRows } from "../../../src/storage/sql/leaf-rows.ts";

interface Tables extends LeafTables {
  content_item: { readonly id: string };
}

const DDL = `
  create table content_item (id text primary key) strict, without rowid;
  create table content_leaf (
    item_id text not null,
    path text not null,
    kind text not null check (kind in ('s', 'n', 'b')),
    value_text text not null,
    value_num real,
    value_instant text,
    node integer not null,
    position integer not null,
    primary key (item_id, path, node, position)
  ) strict, without rowid;
  create index content_leaf_text on content_leaf (path, value_text, item_id);
  create index content_leaf_num on content_leaf (path, value_num, item_id)
    where value_num is not null;
  create index content_leaf_instant on content_leaf (path, value_instant, item_id)
    where value_instant is not null;
  create table content_node (
    item_id text not null,
    path text not null,
    node integer not null,
    node_last integer not null,
    primary key (item_id, path, node)
  ) strict, without rowid;
`;

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

/** Opens an empty database. */
export function openLeafDatabase(): LeafDatabase {
  const database = new Database(":memory:");
  database.exec(DDL);
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  const addItem = database.prepare("insert into content_item values (?)");
  const addLeaf = database.prepare(
    `insert into content_leaf
     values (:item_id, :path, :kind, :value_text, :value_num, :value_instant, :node, :position)`,
  );
  const addNode = database.prepare(
    "insert into content_node values (:item_id, :path, :node, :node_last)",
  );
  const query = (node: KqlNode, now: number | undefined) =>
    db
      .selectFrom("content_item")
      .select("id")
      .where(compileKql(node, { item: sql.ref("content_item.id"), now }));
  return {
    fill: database.transaction((documents: readonly unknown[]) => {
      for (const table of ["content_item", "content_leaf", "content_node"]) {
        database.exec(`delete from ${table}`);
      }
      for (const [item_id, document] of documents.entries()) {
        const { leaves, nodes } = toLeafRows(document);
        addItem.run(`${item_id}`);
        for (const [position, row] of leaves.entries()) {
          addLeaf.run({ item_id: `${item_id}`, position, ...row });
        }
        for (const row of nodes) addNode.run({ item_id: `${item_id}`, ...row });
      }
    }),
    async select(node, now) {
      const rows = await query(node, now).execute();
      return rows.map((row) => Number(row.id)).sort((a, b) => a - b);
    },
    compile(node, now) {
      const compiled = query(node, now).compile();
      return { sql: compiled.sql, parameters: [...compiled.parameters] };
    },
    explain(node, now) {
      const { sql: statement, parameters } = query(node, now).compile();
      const steps = database.prepare(`explain query plan ${statement}`).all(...parameters);
      return steps.map((step) => String(Object(step).detail));
    },
    close: () => db.destroy(),
  };
}
