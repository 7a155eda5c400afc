import type { Selectable } from "kysely";
import type { Schema } from "../sql/schema.ts";

/** The kind of a column's values, each of which may also be null. */
export type ColumnKind = "bytes" | "integer" | "text";

type KindOf<Value> = Value extends Uint8Array ? "bytes" : Value extends string ? "text" : "integer";

type TableOf<Row> = {
  /** The columns that identify a row, in which rows are ordered: texts by bytes. */
  readonly key: readonly (keyof Row & string)[];
  readonly columns: { readonly [Column in keyof Row]-?: KindOf<NonNullable<Row[Column]>> };
};

/** The name of a table of {@link Schema}. */
export type TableName = keyof Schema;

const DOCUMENT = {
  id: "text",
  create_time: "integer",
  update_time: "integer",
  revision: "integer",
  doc: "bytes",
} as const;

const IN_ORGANIZATION = { organization_id: "text", ...DOCUMENT } as const;
const IN_PROJECT = { ...IN_ORGANIZATION, project_id: "text" } as const;
const VISIBLE = { ...IN_PROJECT, visibility: "integer" } as const;
const BY_ID = ["organization_id", "id"] as const;

/** All tables with all columns. A table comes after those that it refers to. */
const TABLES = {
  organization: {
    key: ["id"],
    columns: {
      ...DOCUMENT,
      change_count: "integer",
      uid: "text",
      project_count: "integer",
      account_count: "integer",
      project_quota: "integer",
      account_quota: "integer",
      item_quota: "integer",
      byte_quota: "integer",
    },
  },
  project: {
    key: ["id"],
    columns: {
      ...IN_ORGANIZATION,
      change_count: "integer",
      uid: "text",
      item_count: "integer",
      byte_count: "integer",
      key_count: "integer",
      item_quota: "integer",
      byte_quota: "integer",
      key_quota: "integer",
    },
  },
  account: { key: BY_ID, columns: IN_ORGANIZATION },
  access_token: {
    key: BY_ID,
    columns: {
      ...IN_ORGANIZATION,
      account_id: "text",
      hash: "bytes",
      expire_time: "integer",
      revoke_time: "integer",
    },
  },
  project_key: { key: BY_ID, columns: { ...IN_PROJECT, hash: "bytes", kind: "text" } },
  role: { key: BY_ID, columns: IN_ORGANIZATION },
  binding: {
    key: BY_ID,
    columns: {
      ...IN_ORGANIZATION,
      account_organization_id: "text",
      account_id: "text",
      role_id: "text",
      resource_type: "text",
      resource_id: "text",
      project_id: "text",
    },
  },
  retired_counter: {
    key: ["type", "id"],
    columns: { type: "text", id: "text", change_count: "integer", uid: "text" },
  },
  reference: {
    key: ["project_id", "from_type", "from_id", "to_type", "to_id"],
    columns: {
      project_id: "text",
      from_type: "text",
      from_id: "text",
      to_type: "text",
      to_id: "text",
    },
  },
  answered_request: {
    key: ["organization_id", "account_id", "request_id"],
    columns: {
      organization_id: "text",
      account_id: "text",
      request_id: "text",
      request_hash: "bytes",
      answer: "bytes",
      expire_time: "integer",
    },
  },
  audit_entry: {
    key: ["organization_uid", "time", "id"],
    columns: {
      organization_uid: "text",
      time: "integer",
      id: "text",
      project_id: "text",
      account_id: "text",
      doc: "bytes",
    },
  },
  secret: { key: ["name"], columns: { name: "text", value: "bytes" } },
  content_collection: {
    key: ["collection"],
    columns: {
      collection: "integer",
      project_id: "text",
      kind: "text",
      most_values: "integer",
      most_characters: "integer",
    },
  },
  content: {
    key: ["item"],
    columns: {
      item: "integer",
      organization_id: "text",
      collection: "integer",
      kind: "text",
      id: "text",
      visibility: "integer",
      sort_time: "integer",
      create_time: "integer",
      update_time: "integer",
      revision: "integer",
      doc: "text",
    },
  },
  content_path: {
    key: ["path"],
    columns: { path: "integer", collection: "integer", name: "text" },
  },
  content_leaf: {
    key: ["item", "path", "position"],
    columns: {
      item: "integer",
      path: "integer",
      position: "integer",
      key: "text",
      text: "text",
    },
  },
  content_value: {
    key: ["path", "visibility", "value", "sort_time", "id"],
    columns: {
      path: "integer",
      visibility: "integer",
      value: "text",
      sort_time: "integer",
      id: "text",
      item: "integer",
    },
  },
  content_word: {
    key: ["item", "word"],
    columns: { item: "integer", word: "text", collection: "integer", visibility: "integer" },
  },
  video: { key: BY_ID, columns: IN_PROJECT },
  annotation_type: { key: BY_ID, columns: IN_PROJECT },
  annotation: {
    key: BY_ID,
    columns: {
      ...VISIBLE,
      video_id: "text",
      event_id: "text",
      moment: "integer",
      sort_order: "integer",
    },
  },
  banner_collection: { key: BY_ID, columns: VISIBLE },
  offer: { key: BY_ID, columns: { ...VISIBLE, position: "integer" } },
  page: { key: BY_ID, columns: { ...VISIBLE, slug: "text" } },
  page_component: {
    key: BY_ID,
    columns: {
      ...VISIBLE,
      page_id: "text",
      position: "integer",
      group_id: "text",
      is_filter: "integer",
    },
  },
  ruleset: { key: BY_ID, columns: IN_PROJECT },
  sign_in_integration: {
    key: ["project_id"],
    columns: { project_id: "text", revision: "integer", doc: "bytes" },
  },
  transaction_record: {
    key: BY_ID,
    columns: {
      ...IN_PROJECT,
      billing_transaction_id: "text",
      is_revenue: "integer",
      currency_code: "text",
      units: "integer",
      nanos: "integer",
    },
  },
  action: { key: BY_ID, columns: { ...IN_PROJECT, secret: "text" } },
  webhook: { key: BY_ID, columns: { ...IN_PROJECT, secret: "text" } },
  action_run: {
    key: ["id"],
    columns: {
      ...DOCUMENT,
      project_id: "text",
      annotation_id: "text",
      action_id: "text",
      state: "integer",
      due_time: "integer",
      lease: "text",
      first_attempt_time: "integer",
      payload: "text",
    },
  },
  action_turn: {
    key: ["level", "parent_id", "id"],
    columns: { level: "text", parent_id: "text", id: "text", turn: "integer" },
  },
  billing_integration: {
    key: ["project_id"],
    columns: {
      project_id: "text",
      revision: "integer",
      secret: "text",
      secret_create_time: "integer",
      previous_secret: "text",
      previous_expire_time: "integer",
    },
  },
  viewer_token_key: {
    key: ["id"],
    columns: {
      id: "text",
      public_key: "bytes",
      private_key: "bytes",
      create_time: "integer",
      retire_time: "integer",
    },
  },
  entitlement: {
    key: ["project_id", "user_id", "id"],
    columns: {
      organization_id: "text",
      project_id: "text",
      user_id: "text",
      start_time: "integer",
      id: "text",
      end_time: "integer",
      offer_id: "text",
      is_granted: "integer",
      revision: "integer",
    },
  },
  lease: {
    key: ["project_uid", "user_id", "session_key"],
    columns: {
      project_uid: "text",
      user_id: "text",
      session_key: "text",
      video_id: "text",
      start_time: "integer",
      expire_time: "integer",
    },
  },
  rate_count: {
    key: ["minute", "key"],
    columns: { minute: "integer", key: "text", count: "integer" },
  },
} as const satisfies { readonly [Table in TableName]: TableOf<Selectable<Schema[Table]>> };

/** A table to copy. */
export interface CopiedTable {
  readonly name: TableName;
  readonly key: readonly string[];
  readonly columns: readonly (readonly [name: string, kind: ColumnKind])[];
}

/** All tables; each comes after those that it refers to. */
export const COPIED_TABLES: readonly CopiedTable[] = Object.entries(TABLES).map(
  ([name, { key, columns }]) => ({
    name: name as TableName,
    key,
    columns: Object.entries(columns),
  }),
);

/** The tables of which rows last for minutes and belong to no other: those of a target are replaced. */
export const SHORT_LIVED: readonly TableName[] = ["lease", "rate_count"];
