import type { Kysely } from "kysely";

/** The connections of an engine: `read` sees snapshots, `write` takes one transaction at a time. */
export interface Connections {
  readonly read: Kysely<Schema>;
  readonly write: Kysely<Schema>;
}

/** The tables, equal in every engine; the migrations say what the columns mean. */
export interface Schema {
  organization: OrganizationRow;
  project: ProjectRow;
  account: AccountRow;
  access_token: AccessTokenRow;
  project_key: ProjectKeyRow;
  role: RoleRow;
  binding: BindingRow;
  secret: SecretRow;
  entity: DocumentRow;
  creative_work: DocumentRow;
  event: EventRow;
  video: DocumentRow;
  annotation_type: DocumentRow;
  annotation: DocumentRow;
  page: PageRow;
  page_component: PageComponentRow;
  ruleset: DocumentRow;
  sign_in_integration: SignInIntegrationRow;
  transaction_record: TransactionRow;
}

interface OrganizationRow {
  id: string;
  name: string;
}

interface ProjectRow {
  id: string;
  organization_id: string;
  name: string;
  revision: number;
}

interface AccountRow {
  id: string;
  organization_id: string;
  name: string;
}

interface AccessTokenRow {
  id: string;
  account_id: string;
  name: string;
  hash: Uint8Array;
  create_time: number;
  expire_time: number | null;
  revoke_time: number | null;
}

interface ProjectKeyRow {
  hash: Uint8Array;
  project_id: string;
  kind: "public" | "preview";
}

interface RoleRow {
  id: string;
  permissions: string;
}

interface BindingRow {
  account_id: string;
  role_id: string;
  organization_id: string;
  project_id: string | null;
  resource_type: string | null;
  resource_id: string | null;
}

interface SecretRow {
  name: string;
  value: Uint8Array;
}

/** A protobuf message in binary form with its place and revision. */
export interface DocumentRow {
  id: string;
  project_id: string;
  revision: number;
  doc: Uint8Array;
}

interface EventRow extends DocumentRow {
  visibility: number;
  start_time: number | null;
}

interface PageRow extends DocumentRow {
  slug: string;
}

interface PageComponentRow extends DocumentRow {
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

interface TransactionRow extends DocumentRow {
  billing_transaction_id: string;
  create_time: number;
  is_revenue: number;
  currency_code: string;
  units: bigint | number;
  nanos: number;
}
