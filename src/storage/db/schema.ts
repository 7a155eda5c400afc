import type { Generated } from "kysely";
import type { ContentKind } from "../../domain/content/order.ts";
import type { KindsWith } from "../../domain/kinds.ts";

/** A document: a protobuf message in binary form and its revision. */
interface DocumentRow {
  id: string;
  create_time: number;
  update_time: number;
  revision: number;
  doc: Uint8Array;
}

interface OrganizationDocumentRow extends DocumentRow {
  organization_id: string;
}

interface ProjectDocumentRow extends OrganizationDocumentRow {
  project_id: string;
}

interface VisibleRow extends ProjectDocumentRow {
  visibility: number;
}

/** The kinds of documents in projects, whose tables have their names. */
type ProjectDocument = Exclude<
  KindsWith<"in", "project"> & KindsWith<"keep", "document">,
  "transaction"
>;

/**
 * The tables, the same in every engine; the migrations document the columns. Documents of a project need an entry
 * only for further columns.
 */
export interface Schema extends Record<ProjectDocument, ProjectDocumentRow> {
  organization: DocumentRow & {
    change_count: number;
    uid: string;
    project_count: Generated<number>;
    account_count: Generated<number>;
    project_quota: Generated<number>;
    account_quota: Generated<number>;
    item_quota: Generated<number>;
    byte_quota: Generated<number>;
  };
  project: OrganizationDocumentRow & {
    change_count: number;
    uid: string;
    item_count: Generated<number>;
    byte_count: Generated<number>;
    key_count: Generated<number>;
    item_quota: Generated<number>;
    byte_quota: Generated<number>;
    key_quota: Generated<number>;
  };
  account: OrganizationDocumentRow;
  access_token: OrganizationDocumentRow & {
    account_id: string;
    hash: Uint8Array;
    expire_time: number;
    revoke_time: number;
  };
  project_key: ProjectDocumentRow & {
    hash: Uint8Array;
    kind: "public" | "preview";
  };
  role: OrganizationDocumentRow;
  binding: OrganizationDocumentRow & {
    account_organization_id: string;
    account_id: string;
    role_id: string;
    resource_type: string;
    resource_id: string;
    project_id: string;
  };
  retired_counter: {
    type: string;
    id: string;
    change_count: number;
    uid: string;
  };
  reference: {
    from_type: string;
    from_id: string;
    to_type: string;
    to_id: string;
    project_id: string;
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
  secret: {
    name: string;
    value: Uint8Array;
  };
  content_collection: {
    collection: Generated<number>;
    project_id: string;
    kind: ContentKind;
    most_values: Generated<number>;
    most_characters: Generated<number>;
  };
  content: {
    item: Generated<number>;
    organization_id: string;
    collection: number;
    kind: ContentKind;
    id: string;
    visibility: number;
    sort_time: number;
    create_time: number;
    update_time: number;
    revision: number;
    doc: string;
  };
  content_path: {
    path: Generated<number>;
    collection: number;
    name: string;
  };
  content_leaf: {
    item: number;
    path: number;
    position: number;
    key: string;
    text: string | null;
  };
  content_value: {
    path: number;
    visibility: number;
    value: string;
    sort_time: number;
    id: string;
    item: number;
  };
  content_word: {
    item: number;
    word: string;
    collection: number;
    visibility: number;
  };
  annotation: VisibleRow & {
    video_id: string;
    event_id: string;
    moment: number;
    sort_order: number | bigint;
  };
  banner_collection: VisibleRow;
  offer: VisibleRow & {
    position: number;
  };
  page: VisibleRow & {
    slug: string;
  };
  page_component: VisibleRow & {
    page_id: string;
    position: number;
    group_id: string;
    is_filter: number;
  };
  sign_in_integration: {
    project_id: string;
    revision: number;
    doc: Uint8Array;
  };
  transaction_record: ProjectDocumentRow & {
    billing_transaction_id: string;
    is_revenue: number;
    currency_code: string;
    units: bigint | number;
    nanos: number;
  };
  action: ProjectDocumentRow & {
    secret: string;
  };
  release: ProjectDocumentRow & {
    state: number;
    apply_time: number;
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
  };
  webhook: ProjectDocumentRow & {
    secret: string;
  };
  action_run: DocumentRow & {
    project_id: string;
    annotation_id: string;
    action_id: string;
    state: number;
    due_time: number;
    lease: string;
    first_attempt_time: number;
    payload: string;
  };
  action_turn: {
    level: "organization" | "project" | "action";
    parent_id: string;
    id: string;
    turn: number;
  };
  billing_integration: {
    project_id: string;
    revision: number;
    secret: string;
    secret_create_time: number;
    previous_secret: string | null;
    previous_expire_time: number | null;
  };
  viewer_token_key: {
    id: string;
    public_key: Uint8Array;
    private_key: Uint8Array | null;
    create_time: number;
    retire_time: number | null;
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
