import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { DocumentQuery } from "../../../src/storage/document-store.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { createStoreOver, type RunQuery } from "./one-connection.ts";

const ROWS = 100_000;

let database: Database.Database;
let store: Store;
let queries: RunQuery[] = [];

beforeAll(() => {
  database = new Database(":memory:");
  migrate(database);
  database.exec(`
    INSERT INTO organization (id, create_time, update_time, revision, doc) VALUES ('o', 1, 1, 1, x'');
    INSERT INTO project (id, organization_id, create_time, update_time, revision, doc)
    VALUES ('p', 'o', 1, 1, 1, x'');
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})
    INSERT INTO entitlement
      (organization_id, project_id, user_id, start_time, id, end_time, offer_id, is_granted, revision)
    SELECT 'o', 'p', 'u-' || (i % 5000), i * 10, printf('t-%06d', i), i * 10 + 1000, 'o-' || (i % 5000), 1, 1
    FROM n;
  `);
  store = createStoreOver(database, (query) => queries.push(query));
});
afterAll(() => store.close());

const by = (field: string, direction: "asc" | "desc") => ({ order: { field, direction } });
const matching = (filter: string) => ({ filter: parseKql(filter) });

const CASES: readonly (readonly [string, Partial<DocumentQuery>, RegExp])[] = [
  ["by id", {}, /INDEX entitlement_by_project \(project_id=\?\)/],
  ["by id, descending", by("id", "desc"), /INDEX entitlement_by_project \(project_id=\?\)/],
  [
    "by id, behind a place",
    { after: { key: null, id: "t-090000" } },
    /INDEX entitlement_by_project \(project_id=\? AND id>\?\)/,
  ],
  ["by start", by("start_time", "asc"), /INDEX entitlement_by_start \(project_id=\?\)/],
  [
    "by start, descending",
    by("start_time", "desc"),
    /INDEX entitlement_by_start \(project_id=\?\)/,
  ],
  [
    "of a user",
    matching('user_id: "u-1"'),
    /INDEX entitlement_by_user \(project_id=\? AND user_id=\?\)/,
  ],
  [
    "of a user by start",
    { ...matching('user_id: "u-1"'), ...by("start_time", "desc") },
    /PRIMARY KEY \(project_id=\? AND user_id=\?\)/,
  ],
  [
    "of an offer",
    matching('offer_id: "o-1"'),
    /INDEX entitlement_by_offer \(project_id=\? AND offer_id=\?/,
  ],
];

test.each(CASES)("a page %s reads an index range", async (_, query, want) => {
  queries = [];
  await store.in("acme").entitlementAdmin.list({
    ...{ parentIds: ["p"], order: { field: "id", direction: "asc" }, limit: 20, now: new Date(0) },
    ...query,
  });
  const [plan = []] = queries
    .filter(({ sql }) => sql.startsWith("select"))
    .map(({ sql, parameters }) =>
      database
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map(({ detail }) => detail),
    );
  expect(plan[0]).toMatch(want);
  const sorts = plan.filter((detail) => /TEMP B-TREE FOR ORDER BY/.test(detail));
  expect(sorts).toEqual([]);
});
