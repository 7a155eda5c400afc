import type { Generated } from "kysely";
import type { ContentKind } from "../../domain/content/order.ts";

/** The tables, the same in every engine; the migrations document the columns. */
export interface Schema {
  organization: OrganizationRow;
  project: ProjectRow;
  account: OrganizationDocumentRow;
  access_token: AccessTokenRow;
  project_key: ProjectKeyRow;
  role: OrganizationDocumentRow;
  binding: BindingRow;
  retired_counter: RetiredCounterRow;
  reference: ReferenceRow;
  answered_request: AnsweredRequestRow;
  audit_entry: AuditEntryRow;
  secret: SecretRow;
  content_collection: ContentCollectionRow;
  content: ContentRow;
  content_path: ContentPathRow;
  content_leaf: ContentLeafRow;
  content_value: ContentValueRow;
  content_word: ContentWordRow;
  video: ProjectDocumentRow;
  annotation_type: ProjectDocumentRow;
  annotation: AnnotationRow;
  banner_collection: VisibleRow;
  offer: OfferRow;
  page: PageRow;
  page_component: PageComponentRow;
  ruleset: ProjectDocumentRow;
  sign_in_integration: SignInIntegrationRow;
  transaction_record: TransactionRow;
  action: ActionRow;
  webhook: WebhookRow;
  action_run: ActionRunRow;
  action_turn: ActionTurnRow;
  billing_integration: BillingIntegrationRow;
  viewer_token_key: ViewerTokenKeyRow;
  entitlement: EntitlementRow;
  lease: LeaseRow;
  rate_count: RateCountRow;
}

/**
 * Names a table of documents that is known at run time only. It has the columns that all of them share; the
 * organization is missing where documents belong to the installation, the project outside of projects.
 */
export type DocumentTableName = "video";

/** The columns of all documents: a protobuf message in binary form and its revision. */
interface DocumentColumns {
  id: string;
  create_time: number;
  update_time: number;
  revision: number;
  doc: Uint8Array;
}

interface OrganizationRow extends DocumentColumns {
  change_count: number;
  uid: string;
  project_count: Generated<number>;
  account_count: Generated<number>;
  project_quota: Generated<number>;
  account_quota: Generated<number>;
  item_quota: Generated<number>;
  byte_quota: Generated<number>;
}

interface OrganizationDocumentRow extends DocumentColumns {
  organization_id: string;
}

interface ProjectRow extends OrganizationDocumentRow {
  change_count: number;
  uid: string;
  item_count: Generated<number>;
  byte_count: Generated<number>;
  key_count: Generated<number>;
  item_quota: Generated<number>;
  byte_quota: Generated<number>;
  key_quota: Generated<number>;
}

interface AccessTokenRow extends OrganizationDocumentRow {
  account_id: string;
  hash: Uint8Array;
  expire_time: number;
  revoke_time: number;
}

interface ProjectKeyRow extends ProjectDocumentRow {
  hash: Uint8Array;
  kind: "public" | "preview";
}

interface BindingRow extends OrganizationDocumentRow {
  account_organization_id: string;
  account_id: string;
  role_id: string;
  resource_type: string;
  resource_id: string;
  project_id: string;
}

interface RetiredCounterRow {
  type: string;
  id: string;
  change_count: number;
  uid: string;
}

interface ReferenceRow {
  from_type: string;
  from_id: string;
  to_type: string;
  to_id: string;
  project_id: string;
}

interface AnsweredRequestRow {
  organization_id: string;
  account_id: string;
  request_id: string;
  request_hash: Uint8Array;
  answer: Uint8Array;
  expire_time: number;
}

interface AuditEntryRow {
  organization_uid: string;
  time: number;
  id: string;
  project_id: string;
  account_id: string;
  doc: Uint8Array;
}

interface SecretRow {
  name: string;
  value: Uint8Array;
}

/** A document of a project. */
interface ProjectDocumentRow extends OrganizationDocumentRow {
  project_id: string;
}

interface ContentCollectionRow {
  collection: Generated<number>;
  project_id: string;
  kind: ContentKind;
  most_values: Generated<number>;
  most_characters: Generated<number>;
}

interface ContentRow {
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
}

interface ContentPathRow {
  path: Generated<number>;
  collection: number;
  name: string;
}

interface ContentLeafRow {
  item: number;
  path: number;
  position: number;
  key: string;
  text: string | null;
}

interface ContentValueRow {
  path: number;
  visibility: number;
  value: string;
  sort_time: number;
  id: string;
  item: number;
}

interface ContentWordRow {
  item: number;
  word: string;
  collection: number;
  visibility: number;
}

interface VisibleRow extends ProjectDocumentRow {
  visibility: number;
}

interface AnnotationRow extends VisibleRow {
  video_id: string;
  event_id: string;
  moment: number;
  sort_order: number | bigint;
}

interface OfferRow extends VisibleRow {
  position: number;
}

interface PageRow extends VisibleRow {
  slug: string;
}

interface PageComponentRow extends VisibleRow {
  page_id: string;
  position: number;
  group_id: string;
  is_filter: number;
}

interface SignInIntegrationRow {
  project_id: string;
  revision: number;
  doc: Uint8Array;
}

interface TransactionRow extends ProjectDocumentRow {
  billing_transaction_id: string;
  is_revenue: number;
  currency_code: string;
  units: bigint | number;
  nanos: number;
}

interface EntitlementRow {
  organization_id: string;
  project_id: string;
  user_id: string;
  start_time: number;
  id: string;
  end_time: number;
  offer_id: string;
  is_granted: number;
  revision: number;
}

interface BillingIntegrationRow {
  project_id: string;
  revision: number;
  secret: string;
  secret_create_time: number;
  previous_secret: string | null;
  previous_expire_time: number | null;
}

interface ActionRow extends ProjectDocumentRow {
  secret: string;
}

interface WebhookRow extends ProjectDocumentRow {
  secret: string;
}

interface ActionRunRow extends DocumentColumns {
  project_id: string;
  annotation_id: string;
  action_id: string;
  state: number;
  due_time: number;
  lease: string;
  first_attempt_time: number;
  payload: string;
}

interface ActionTurnRow {
  level: "organization" | "project" | "action";
  parent_id: string;
  id: string;
  turn: number;
}

interface LeaseRow {
  project_uid: string;
  user_id: string;
  session_key: string;
  video_id: string;
  start_time: number;
  expire_time: number;
}

interface RateCountRow {
  minute: number;
  key: string;
  count: number;
}

interface ViewerTokenKeyRow {
  id: string;
  public_key: Uint8Array;
  private_key: Uint8Array | null;
  create_time: number;
  retire_time: number | null;
}
