import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DatabaseKind, migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { createStoreOver, type RunQuery } from "./one-connection.ts";

const ROWS = 100_000;
const NOW = new Date(2_000);
const VIEWER = { projectId: "p", userId: "u", now: NOW };
const PLACE = { startTime: 1_000_000, id: "t" };
const WATCHED = { videoId: "v", eventIds: [], creativeWorkIds: [] };
const LEASE = { projectId: "p", userId: "u", sessionKey: "s" };

let databases: Readonly<Record<DatabaseKind, Database.Database>>;
let store: Store;
let queries: RunQuery[] = [];

beforeAll(() => {
  databases = { content: new Database(":memory:"), leases: new Database(":memory:") };
  const numbers = `WITH RECURSIVE n (i) AS
    (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})`;
  migrate(databases.content);
  databases.content.exec(`
    INSERT INTO organization (id, create_time, update_time, revision, doc) 
      VALUES ('o', 0, 0, 1, x'');
    INSERT INTO project (id, organization_id, create_time, update_time, revision, doc, uid)
      VALUES ('p', 'o', 0, 0, 1, x'', 'uid');
    INSERT INTO offer VALUES ('o', 'offer', 'p', 0, 0, 1, x'0a056f666665723a020801', 1, 1);
    ${numbers} INSERT INTO entitlement
    SELECT 'o', 'p', iif(i % 2 = 0, 'u', 'u-' || (i % 5000)), i * 10, printf('t-%06d', i),
      iif(i % 1000 = 0, 9000000000000000000, i * 10 + 1000), 'offer', 0, 1 FROM n;
  `);
  migrate(databases.leases, "leases");
  databases.leases.exec(`
    ${numbers} INSERT INTO lease
    SELECT 'uid', 'u-' || (i % 50000), 's-' || i, 'v', i, 1000000000 + i FROM n;
  `);
  store = createStoreOver(databases.content, (query) => queries.push(query), databases.leases);
});
afterAll(() => store.close());

const BY_KEY = "PRIMARY KEY (project_id=? AND user_id=?";
const LEASE_KEY = "PRIMARY KEY (project_uid=? AND user_id=?";
const OFFERS = [
  "SEARCH offer USING INDEX offer_by_project (project_id=? AND id=?)",
  "LIST SUBQUERY 1",
  "SEARCH entitlement USING COVERING INDEX entitlement_by_end (project_id=? AND user_id=? AND end_time>?)",
];
const claim = (limit: number) =>
  store.leases.claim({ ...LEASE, videoId: "v", limit, now: NOW, expireTime: new Date(3_000) });
const OWN_LEASE = [`SEARCH lease USING ${LEASE_KEY} AND session_key=?)`];
/** Renews, forgets a lease that has ended, and takes one. */
const CLAIM = [
  OWN_LEASE,
  OWN_LEASE,
  ["SCAN CONSTANT ROW", "SCALAR SUBQUERY 1", `SEARCH lease USING ${LEASE_KEY})`],
];
const SWEEP = [
  `SEARCH lease USING ${LEASE_KEY} AND session_key=?)`,
  "LIST SUBQUERY 2",
  "SEARCH lease USING COVERING INDEX lease_by_expire_time (expire_time<?)",
];

const CALLS: readonly (readonly [
  string,
  DatabaseKind,
  () => Promise<unknown>,
  readonly (readonly string[])[],
])[] = [
  [
    "the first page of entitlements",
    "content",
    () => store.entitlements.list({ ...VIEWER, limit: 20 }),
    [OFFERS, [`SEARCH entitlement USING ${BY_KEY} AND start_time<?)`]],
  ],
  [
    "a deep page of entitlements",
    "content",
    () => store.entitlements.list({ ...VIEWER, limit: 20, after: PLACE }),
    [OFFERS, [`SEARCH entitlement USING ${BY_KEY} AND start_time<?)`]],
  ],
  [
    "what an entitlement opens",
    "content",
    () => store.entitlements.covers({ ...VIEWER, ...WATCHED }),
    [OFFERS],
  ],
  ["a claim", "leases", () => claim(1), [...CLAIM, SWEEP]],
  [
    "a claim that finds the streams taken",
    "leases",
    () => claim(0),
    [...CLAIM, SWEEP, [`SEARCH lease USING ${LEASE_KEY})`, "USE TEMP B-TREE FOR ORDER BY"]],
  ],
  ["a release", "leases", () => store.leases.release(LEASE), [OWN_LEASE]],
];

for (const [name, kind, call, want] of CALLS) {
  test(`${name} among ${ROWS} rows: index ranges of the viewer's own`, async () => {
    await store.leases.release(LEASE);
    queries = [];
    await call();
    const plans = queries
      .filter(({ sql }) => /^\s*(select|insert|update|delete)/.test(sql) && !/"uid"/.test(sql))
      .map(({ sql, parameters }) =>
        databases[kind]
          .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...parameters)
          .map((row) => row.detail),
      );
    expect(plans).toEqual(want);
  });
}
