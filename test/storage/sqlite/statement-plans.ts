import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import { READS_ALL } from "../statements/whole-tables.ts";

/** Statements that sort what they have found. */
const SORTS = [
  // The oldest changes of a history, at most 500.
  /^ ?delete from history .* sum\(size\) over/,
  // Lists of several projects, and those of the Studio API by times.
  /\bin \((\+\?, )+\+\?\)/,
  /"order_key".* from (?!"(entitlement|action_run)")/,
  // The few of an account, of a viewer and of a claim.
  /from "(binding|access_token|lease)" where/,
  // What one clause of a filter found, which was counted before; and a page.
  /as sorted\b|select distinct \* from|count\(/,
  // The resources with history that an import has written.
  /^ ?insert into history /,
  // A batch of entries of a path.
  /with last as materialized/,
];

/** Deletions and updates of any number of rows, and what bounds them. */
const WRITES_MANY: readonly (readonly [statement: RegExp, bound: string])[] = [
  [/^update "history" set "revision"/, "one row: the last change of a resource"],
  [/^update "viewer_token_key"/, "the one signing key"],
  [/^delete from "viewer_token_key"/, "the keys of the last rotations by an operator"],
  [/^update "page" set "slug" .*"id" = \?$/, "ids are unique in the organization of a project"],
  [/^delete from "binding"/, "the quota of accounts, and the roles given to each"],
  [/^delete from "reference" .*"from_id" =/, "the references that one document may have"],
  [/^delete from "content(_\w+)?" where "item" in \(/, "a chunk of 100 items"],
  [/^delete from "content_(leaf|word)" where "item" = /, "100 paths or words of an item"],
  [
    /^delete from content_value where .*item (in \(|= )/,
    "a chunk of 100 items, or 100 paths of one",
  ],
  [/^delete from "content_collection"/, "the kinds of content of a project that is deleted"],
  [/^delete from "run_turn" .*"project_id" = \?$/, "the actions of a project that is deleted"],
  [/^delete from "release_item" .*"release_id" = \?$/, "the drafts that one release may have"],
  [/^delete from "secret"$/, "the keys of an installation, of which there are three"],
  [/^delete from history where project_id = /, "the range of places that one step has examined"],
];

/** Statements that find few rows among many, and the index that they use. */
const LOOK_UPS: readonly (readonly [statement: RegExp, index: string])[] = [
  [
    / from "history" cross join .* "history"."account_id" = \?/,
    "COVERING INDEX history_by_account",
  ],
  [/ from "history" cross join .* "history"."kind" = \?/, "history_by_resource"],
  // From the place where a page begins.
  [/ from "history" where .*"history"\."revision" <= \?/, "(project_id=? AND revision<?)"],
  [/ from "audit_entry" where .*"audit_entry"\."time" <= \?/, "time<?)"],
  [/ from "action_run" where .*"action_run"\."create_time" <= \?/, "create_time<?)"],
  [/ from "entitlement" .*"entitlement"\."start_time" <= \?/, "start_time<?)"],
  [
    / from "action_run" where project_id = \? and due_time = .* limit /,
    "action_run_ended_by_project",
  ],
  [/ union all\s+select 1 as place, before from history\s/, "COVERING INDEX history_by_resource"],
  [/ from "annotation" where "video_id" = \? and "organization_id" = /, "annotation_by_video"],
  [
    / from "page_component" where "page_id" = \? and "organization_id" = /,
    "page_component_by_page",
  ],
  [/ from "account" where .* "email" = \?/, "account_by_email"],
  [/ from "account" where .* "identity" = \?/, "account_by_identity"],
  [/ from "access_token" .* "is_session" = 1 /, "access_token_session"],
  [/ from "action_run" .* "state" = 3 .* limit /, "action_run_failed"],
  // Without the drafts themselves, which may be large.
  [
    /from release_item as item\s[\s\S]* item\.update_time >= 0\s*$/,
    "SEARCH item USING COVERING INDEX release_item_by_revision",
  ],
];

const isOneOf = (patterns: readonly RegExp[], sql: string) =>
  patterns.some((pattern) => pattern.test(sql));

/**
 * Adds a test after those of a file: SQLite finds what their statements ask for by an index, without a scan, without
 * sorting all that it found, from the place where a page begins, and an item without its neighbors.
 */
export function testPlans(): void {
  const statements = new Set<string>();
  const { prepare } = Database.prototype;
  beforeAll(() => {
    Database.prototype.prepare = function record(this: Database.Database, sql: string) {
      statements.add(sql);
      return prepare.call(this, sql);
    } as typeof prepare;
  });
  const stop = () => {
    Database.prototype.prepare = prepare;
  };
  afterAll(stop);

  test("no statement reads a whole table, or sorts one", () => {
    stop();
    const wrong: string[] = [];
    const database = createDatabase();
    const tables = database.prepare("select name from sqlite_schema").pluck().all();
    for (const sql of statements) {
      if (!/^\s*(select|insert|update|delete|with)\b/i.test(sql)) continue;
      const text = sql.replaceAll(/\s+/g, " ");
      const [, table] = /^(?:delete from|update) "(\w+)".* "id" = /.exec(text) ?? [];
      const pages = !/"order_key"|source|content/.test(text) && / [<>] .* limit /.test(text);
      const plan = explain(database, sql);
      const errors = plan.filter(
        (step) =>
          (tables.includes(/^SCAN (\w+)/.exec(step)?.[1] ?? "") && !isOneOf(READS_ALL, text)) ||
          (/TEMP B-TREE FOR ORDER BY/.test(step) && !isOneOf([...READS_ALL, ...SORTS], text)) ||
          (step.startsWith(`SEARCH ${table} `) && /\((project|organization)_id=\?\)$/.test(step)),
      );
      const begins = !pages || isOneOf(READS_ALL, text) || plan.some((it) => /[<>]\(?\?/.test(it));
      if (errors.length > 0 || !begins) wrong.push([text, ...plan].join("\n"));
    }
    expect(wrong).toEqual([]);
    expect(statements.size).toBeGreaterThan(900);
  });

  test.each(LOOK_UPS)("%s uses %s", (pattern, index) => {
    const database = createDatabase();
    const found = [...statements].filter((sql) => pattern.test(sql.replaceAll("+?", "?")));
    expect(found).not.toEqual([]);
    for (const sql of found) {
      const plan = explain(database, sql);
      expect([sql, plan]).toEqual([sql, expect.arrayContaining([expect.stringContaining(index)])]);
      expect(plan.join()).not.toMatch(/TEMP B-TREE FOR ORDER BY/);
    }
  });

  test("no statement deletes or updates any number of rows", () => {
    const database = createDatabase();
    const texts = [...statements].map((sql) =>
      sql.replaceAll(/\+?\?/g, "?").replaceAll(/\s+/g, " ").trim(),
    );
    const writes = texts.filter((text) =>
      /^(delete|update|with\b.*\b(delete|update))\b/i.test(text),
    );
    const unbounded = writes.filter((text) => !isBounded(database, text));
    const isExcused = (text: string) =>
      isOneOf(
        WRITES_MANY.map(([it]) => it),
        text,
      );
    expect(unbounded.filter((text) => !isExcused(text))).toEqual([]);
    expect(writes.filter((text) => !isSized(database, text))).toEqual([]);
    const unused = WRITES_MANY.filter(([it]) => !unbounded.some((text) => it.test(text)));
    expect(unused).toEqual([]);
    expect(writes.length).toBeGreaterThan(50);
  });
}

/** Reports whether a deletion or an update has a limit, or equalities with all columns of a unique key. */
function isBounded(database: Database.Database, text: string): boolean {
  if (/ in \(select .* limit \?|^with "\w+" as materialized \( select .* limit \?/.test(text))
    return true;
  const table = /(?:delete from|update) "?(\w+)"?/i.exec(text)?.[1] ?? "";
  const where = text.slice(text.search(/ where /i));
  const equal = [...where.matchAll(/"?(\w+)"? = (?:\?|')/g)].map(([, column]) => column);
  const indexes = database.pragma(`index_list(${table})`) as { name: string; unique: number }[];
  const keys = indexes
    .filter(({ unique }) => unique === 1)
    .map(({ name }) => database.pragma(`index_info(${name})`) as { name: string | null }[]);
  const primary = (
    database.pragma(`table_info(${table})`) as { name: string; pk: number }[]
  ).filter(({ pk }) => pk > 0);
  return [...keys, primary].some(
    (key) => key.length > 0 && key.every(({ name }) => name !== null && equal.includes(name)),
  );
}

/** The tables whose deleted rows are short or one, although they have a column of any length. */
const SHORT = ["entitlement", "sign_in_integration"];

/** Reports whether a deletion of some rows looks at their bytes, unless its table has no column of any length. */
function isSized(database: Database.Database, text: string): boolean {
  const table = /^with "some_rows" .* delete from "(\w+)"/.exec(text)?.[1];
  if (table === undefined) return true;
  const columns = database.pragma(`table_info(${table})`) as { name: string; type: string }[];
  const isLong = columns.some(({ name, type }) => type === "BLOB" || name === "payload");
  return !isLong || SHORT.includes(table) || text.includes("octet_length(");
}

/** Creates a database that has the tables of both files. */
function createDatabase(): Database.Database {
  const database = new Database(":memory:");
  for (const kind of ["content", "leases"] as const) {
    database.pragma("user_version = 0");
    migrate(database, kind);
  }
  return database;
}

/** Explains a statement; no plan depends on its values. */
function explain(database: Database.Database, sql: string): readonly string[] {
  const values = [...sql.replaceAll(/'[^']*'/g, "").matchAll(/\?/g)].map(() => null);
  return database
    .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
    .all(...values)
    .map(({ detail }) => detail);
}
