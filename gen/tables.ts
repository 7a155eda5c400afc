// Generated from src/storage/migrations/sqlite by tools/tables.ts.

import type { Generated } from "kysely";

/** The tables, the same in every engine; the migrations document the columns. */
export interface Schema {
  access_token: {
    organization_id: string;
    id: string;
    account_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    hash: Uint8Array;
    expire_time: number;
    revoke_time: number;
    is_session: Generated<number>;
  };
  account: {
    organization_id: string;
    id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    email: string;
    identity: string;
  };
  action: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    secret: string;
    target: string | null;
  };
  action_run: {
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    annotation_id: string;
    action_id: string;
    state: number;
    due_time: number;
    lease: string;
    first_attempt_time: number;
    payload: string;
  };
  annotation: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    visibility: number;
    video_id: string;
    event_id: string;
    moment: number;
    sort_order: bigint | number;
  };
  annotation_type: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
  };
  answered_request: {
    organization_id: string;
    account_id: string;
    request_id: string;
    request_hash: Uint8Array;
    answer: Uint8Array;
    expire_time: number;
  };
  audit_entry: {
    organization_uid: string;
    time: number;
    id: string;
    project_id: string;
    account_id: string;
    doc: Uint8Array;
  };
  banner_collection: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    visibility: number;
  };
  billing_integration: {
    project_id: string;
    revision: number;
    secret: string;
    secret_create_time: number;
    previous_secret: string | null;
    previous_expire_time: number | null;
  };
  binding: {
    organization_id: string;
    id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    account_organization_id: string;
    account_id: string;
    role_id: string;
    resource_type: string;
    resource_id: string;
    project_id: string;
  };
  change: {
    number: Generated<number>;
    project_id: string;
    revision: number | null;
  };
  content: {
    item: Generated<number>;
    organization_id: string;
    collection: number;
    kind: string;
    id: string;
    visibility: number;
    sort_time: number;
    create_time: number;
    update_time: number;
    revision: number;
    doc: string;
    open_from: string;
    open_until: string;
  };
  content_collection: {
    collection: Generated<number>;
    project_id: string;
    kind: "event" | "creative_work" | "entity";
    most_values: Generated<number>;
    most_characters: Generated<number>;
  };
  content_leaf: {
    item: number;
    path: number;
    position: number;
    key: string;
    text: string | null;
  };
  content_path: {
    path: Generated<number>;
    collection: number;
    name: string;
  };
  content_value: {
    path: number;
    visibility: number;
    value: string;
    sort_time: number;
    id: string;
    item: number;
    open_from: string;
    open_until: string;
  };
  content_word: {
    item: number;
    word: string;
    collection: number;
    visibility: number;
  };
  entitlement: {
    organization_id: string;
    project_id: string;
    user_id: string;
    start_time: number;
    id: string;
    end_time: number;
    offer_id: string;
    is_granted: number;
    revision: number;
  };
  history: {
    project_id: string;
    revision: number;
    part: number;
    organization_id: string;
    id: string;
    time: number;
    account_id: string;
    kind: string;
    resource_id: string;
    paths: string;
    before: Uint8Array | null;
    doc: Uint8Array | null;
  };
  offer: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    visibility: number;
    position: number;
  };
  organization: {
    id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    change_count: Generated<number>;
    uid: string;
    project_count: Generated<number>;
    account_count: Generated<number>;
    project_quota: Generated<number>;
    account_quota: Generated<number>;
    item_quota: Generated<number>;
    byte_quota: Generated<number>;
  };
  page: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    visibility: number;
    slug: string;
    component_ids: string;
  };
  page_component: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    visibility: number;
    page_id: string;
    group_id: string;
    is_filter: number;
  };
  project: {
    id: string;
    organization_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    change_count: Generated<number>;
    uid: string;
    item_count: Generated<number>;
    byte_count: Generated<number>;
    key_count: Generated<number>;
    item_quota: Generated<number>;
    byte_quota: Generated<number>;
    key_quota: Generated<number>;
    draft_bytes: Generated<number>;
    history_bytes: Generated<number>;
    run_bytes: Generated<number>;
  };
  project_key: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    hash: Uint8Array;
    kind: "public" | "preview";
  };
  reference: {
    project_id: string;
    from_type: string;
    from_id: string;
    to_type: string;
    to_id: string;
  };
  release: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    state: number;
    apply_time: number;
    draft_count: Generated<number>;
    draft_bytes: Generated<number>;
    draft_time: Generated<number>;
  };
  release_item: {
    organization_id: string;
    release_id: string;
    kind: string;
    resource_id: string;
    project_id: string;
    base: Uint8Array | null;
    draft: Uint8Array | null;
    is_forced: number;
    account_id: string;
    update_time: number;
    base_revision: number | null;
    page_id: string | null;
  };
  retired_counter: {
    type: string;
    id: string;
    change_count: number;
    uid: string;
  };
  role: {
    organization_id: string;
    id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
  };
  ruleset: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
  };
  run_turn: {
    organization_id: string;
    project_id: string;
    action_id: string;
    turn: number;
  };
  secret: {
    name: string;
    value: Uint8Array;
  };
  sign_in_integration: {
    project_id: string;
    revision: number;
    doc: Uint8Array;
  };
  staff_sign_in: {
    organization_id: string;
    revision: number;
    doc: Uint8Array;
    secret: string;
  };
  transaction_record: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    billing_transaction_id: string;
    is_revenue: number;
    currency_code: string;
    units: bigint | number;
    nanos: number;
  };
  transaction_total: {
    project_id: string;
    is_billed: number;
    currency_code: string;
    count: number;
    revenue_count: number;
    high: number;
    low: number;
    nanos: number;
  };
  video: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
  };
  viewer_token_key: {
    id: string;
    public_key: Uint8Array;
    private_key: Uint8Array | null;
    create_time: number;
    retire_time: number | null;
  };
  webhook: {
    organization_id: string;
    id: string;
    project_id: string;
    create_time: number;
    update_time: number;
    revision: number;
    doc: Uint8Array;
    secret: string;
  };
  lease: {
    project_uid: string;
    user_id: string;
    session_key: string;
    video_id: string;
    start_time: number;
    expire_time: number;
  };
  rate_count: {
    minute: number;
    key: string;
    count: number;
  };
}
