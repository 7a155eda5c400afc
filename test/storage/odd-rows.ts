import type Database from "better-sqlite3";

/** A text with every character that a line of rows escapes, and others that must stay as they are. */
const ODD = "\\N \\ \b\t\n\v\f\r \u0001 \u007f \" ' | , \u{1f3c6} \ufffd é e\u0301 \\x00 \\.";

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const NEVER = 9_000_000_000_000_000_000n;
const LARGE = 9_007_199_254_740_993n;
const DOCUMENT = { create_time: 1, update_time: NEVER, revision: 3, doc: BYTES };

/** Rows of the tables that the small dataset leaves empty, for an organization, a project and an account of it. */
const ROWS = (organization_id: string, project_id: string, account_id: string) =>
  [
    [
      "access_token",
      {
        ...{ organization_id, id: ODD, account_id, ...DOCUMENT },
        ...{ hash: BYTES, expire_time: NEVER, revoke_time: -1 },
      },
    ],
    [
      "project_key",
      { organization_id, id: "k", project_id, ...DOCUMENT, hash: BYTES, kind: "public" },
    ],
    ["role", { organization_id, id: "", ...DOCUMENT }],
    ["staff_sign_in", { organization_id, revision: LARGE, doc: BYTES, secret: ODD }],
    ["retired_counter", { type: "project", id: ODD, change_count: LARGE, uid: "u" }],
    [
      "answered_request",
      {
        ...{ organization_id, account_id, request_id: ODD },
        ...{ request_hash: BYTES, answer: Buffer.alloc(0), expire_time: 5 },
      },
    ],
    [
      "audit_entry",
      { organization_uid: "u", time: 9, id: "a", project_id: "", account_id, doc: BYTES },
    ],
    [
      "audit_entry",
      { organization_uid: "u", time: 10, id: "b", project_id: "", account_id, doc: BYTES },
    ],
    [
      "history",
      {
        ...{ organization_id, project_id, revision: LARGE, part: 0, id: ODD, time: 9, account_id },
        ...{ kind: "event", resource_id: ODD, paths: "", before: null, doc: BYTES },
      },
    ],
    [
      "release",
      {
        ...{ organization_id, id: ODD, project_id, ...DOCUMENT, apply_time: NEVER },
        // Applied, because those that wait are limited.
        state: 3,
      },
    ],
    [
      "release_item",
      {
        ...{ organization_id, release_id: ODD, kind: "event", resource_id: ODD, project_id },
        ...{ base: BYTES, draft: null, is_forced: 1, account_id: "", update_time: LARGE },
      },
    ],
    ["secret", { name: "s", value: BYTES }],
    [
      "action_run",
      {
        ...{ id: "run", project_id, ...DOCUMENT, annotation_id: "a", action_id: "b", state: 1 },
        ...{
          due_time: NEVER,
          lease: ODD,
          first_attempt_time: NEVER,
          payload: `{"a":"${"x".repeat(200_000)}"}`,
        },
      },
    ],
    ["action", { organization_id, id: "odd", project_id, ...DOCUMENT, secret: ODD }],
    ["webhook", { organization_id, id: "odd", project_id, ...DOCUMENT, secret: ODD }],
    ["reference", { project_id, from_type: "event", from_id: ODD, to_type: "entity", to_id: "" }],
    [
      "entitlement",
      {
        ...{ organization_id, project_id, user_id: ODD, id: "e", offer_id: "", is_granted: 1 },
        ...{ start_time: -1, end_time: NEVER, revision: 1 },
      },
    ],
    ["run_turn", { organization_id, project_id, action_id: "b", turn: 77 }],
    [
      "billing_integration",
      {
        ...{ project_id, revision: 1, secret: "s", secret_create_time: 5 },
        ...{ previous_secret: null, previous_expire_time: null },
      },
    ],
    [
      "viewer_token_key",
      { id: "1", public_key: BYTES, private_key: null, create_time: 1, retire_time: 2 },
    ],
    [
      "viewer_token_key",
      { id: "2", public_key: BYTES, private_key: BYTES, create_time: 1, retire_time: null },
    ],
    [
      "annotation",
      {
        ...{ organization_id, id: "odd", project_id, ...DOCUMENT, visibility: 1 },
        ...{ video_id: "", event_id: "", moment: NEVER, sort_order: -LARGE },
      },
    ],
  ] as const;

/** Rows of the file of leases. */
const LEASES = [
  [
    "lease",
    {
      ...{ project_uid: "p", user_id: ODD, session_key: "s", video_id: "v" },
      ...{ start_time: 1, expire_time: 2 },
    },
  ],
  ["rate_count", { minute: 1, key: ODD, count: 3 }],
] as const;

/** Fills the tables of a database that the small dataset leaves empty. */
export function addOddRows(content: Database.Database, leases: Database.Database): void {
  const { organization_id, project_id, account_id } = content
    .prepare<[], { organization_id: string; project_id: string; account_id: string }>(
      "select organization_id, project.id as project_id, account.id as account_id from project join account using (organization_id)",
    )
    .get() ?? { organization_id: "", project_id: "", account_id: "" };
  for (const [table, row] of ROWS(organization_id, project_id, account_id)) {
    insert(content, table, row);
  }
  for (const [table, row] of LEASES) insert(leases, table, row);
}

function insert(database: Database.Database, table: string, row: object): void {
  const names = Object.keys(row);
  database
    .prepare(
      `insert into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
    )
    .run(...Object.values(row));
}
