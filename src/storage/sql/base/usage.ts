import { create } from "@bufbuild/protobuf";
import { type AliasedRawBuilder, type Expression, sql } from "kysely";
import {
  type Organization,
  OrganizationUsageSchema,
} from "../../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import {
  type Project,
  ProjectUsageSchema,
} from "../../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { Schema } from "../../../../gen/tables.ts";
import { notFound } from "../../../domain/base/errors.ts";
import {
  type Amounts,
  checkGrowth,
  type Holder,
  type HolderKind,
  QUOTA_NAMES,
  readQuotas,
} from "../../../domain/quotas.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build, prepare, type SlotOf } from "../../db/query.ts";

/** The usage and the quotas of an organization or project. */
export interface Usage {
  readonly used: Amounts;
  /** 0: no limit. */
  readonly quotas: Amounts;
}

/** The bytes of a project's items and drafts. */
const BYTES = sql<number>`byte_count + draft_bytes`;

/** The columns of a project's usage. */
export const PROJECT_USAGE = [
  "item_count",
  BYTES.as("byte_count"),
  "key_count",
  "item_quota",
  "byte_quota",
  "key_quota",
] as const;

/** The columns of an organization's usage, without the sums of its projects. */
const ORGANIZATION_USAGE = [
  "project_count",
  "account_count",
  "project_quota",
  "account_quota",
  "item_quota",
  "byte_quota",
] as const;

/** Returns the usage of an organization or project from its row; 0 for amounts without columns. */
export function toUsage(row: object): Usage {
  const columns = new Map<string, number>(Object.entries(row));
  const read = (suffix: "count" | "quota"): Amounts =>
    Object.fromEntries(
      QUOTA_NAMES.map((name) => [name, columns.get(`${name.slice(0, -1)}_${suffix}`) ?? 0]),
    );
  return { used: read("count"), quotas: read("quota") };
}

/** Returns the columns of a project's quotas. */
export function toProjectQuotas({ quotas }: Project) {
  const { items = 0, bytes = 0, keys = 0 } = readQuotas(quotas);
  return { item_quota: items, byte_quota: bytes, key_quota: keys };
}

/** Returns the columns of an organization's quotas. */
export function toOrganizationQuotas({ quotas }: Organization) {
  const { projects = 0, accounts = 0, items = 0, bytes = 0 } = readQuotas(quotas);
  return {
    project_quota: projects,
    account_quota: accounts,
    item_quota: items,
    byte_quota: bytes,
  };
}

/** Returns an imported organization or project with its stored quotas, which belong to the installation. */
export function keepQuotas<T extends Organization | Project>(imported: T, stored?: T): T {
  return stored === undefined ? imported : { ...imported, quotas: stored.quotas };
}

/** Selects the sum of an amount over all projects of an organization. */
const sumOf = (amount: Expression<number>) =>
  sql<number>`(
    select cast(coalesce(sum(${amount}), 0) as bigint) from project
    where project.organization_id = organization.id
  )`;

/** The selection of an organization's usage. */
const ORGANIZATION_SELECTION = [
  ...ORGANIZATION_USAGE,
  sumOf(sql.ref<number>("item_count")).as("item_count"),
  sumOf(BYTES).as("byte_count"),
] as const;

/** Returns the selection of usage for {@link withUsage}. */
export function usageSelection(
  kind: HolderKind,
): readonly (
  | keyof Schema["organization"]
  | keyof Schema["project"]
  | AliasedRawBuilder<number, string>
)[] {
  return kind === "project" ? PROJECT_USAGE : ORGANIZATION_SELECTION;
}

/** Returns an organization or project with its usage, from a row with the columns of {@link usageSelection}. */
export function withUsage<T extends Organization | Project>(value: T, row: object): T {
  const { items = 0, bytes = 0, ...counts } = toUsage(row).used;
  const fields = { ...counts, items: BigInt(items), bytes: BigInt(bytes) };
  if (value.$typeName === "svc.studio.iam.project.v1.Project") {
    value.usage = create(ProjectUsageSchema, fields);
  } else {
    value.usage = create(OrganizationUsageSchema, fields);
  }
  return value;
}

/** Returns an organization or project without its usage, which its row counts. */
export function withoutUsage<T extends Organization | Project>(value: T): T {
  return { ...value, usage: undefined };
}

/** Reads the usage of an organization or project; undefined if there is none. */
export async function readUsage(db: Db, { kind, id }: Holder): Promise<Usage | undefined> {
  const select = kind === "project" ? SELECT_PROJECT : SELECT_ORGANIZATION;
  const [row] = await db.all<object>(select({ id }));
  return row && toUsage(row);
}

/** Selects 1 for a project whose organization limits its items or bytes. */
export const LIMITED_BY_ORGANIZATION = sql<number | null>`(
  select 1 from organization
  where organization.id = project.organization_id
    and (organization.item_quota > 0 or organization.byte_quota > 0)
)`;

type ById = { readonly id: string };

const SELECT_PROJECT = prepare((slot: SlotOf<ById>) =>
  build
    .selectFrom("project")
    .select([...PROJECT_USAGE, LIMITED_BY_ORGANIZATION.as("is_limited")])
    .where("id", "=", slot("id")),
);

const SELECT_ORGANIZATION = prepare((slot: SlotOf<ById>) =>
  build.selectFrom("organization").select(ORGANIZATION_SELECTION).where("id", "=", slot("id")),
);

/** Adds amounts to the usage of an organization or project; its quotas are not checked. */
export async function addUsage(
  tx: Tx,
  { kind, id }: Holder,
  { items = 0, bytes = 0, keys = 0, accounts = 0, projects = 0 }: Amounts,
): Promise<void> {
  if (kind === "organization") {
    if (accounts !== 0 || projects !== 0)
      await tx.run(ADD_TO_ORGANIZATION({ id, accounts, projects }));
  } else if (items !== 0 || bytes !== 0 || keys !== 0) {
    await tx.run(ADD_TO_PROJECT({ id, items, bytes, keys }));
  }
}

const ADD_TO_PROJECT = prepare((slot: SlotOf<ById & Record<"items" | "bytes" | "keys", number>>) =>
  build
    .updateTable("project")
    .set((eb) => ({
      item_count: eb("item_count", "+", slot("items")),
      byte_count: eb("byte_count", "+", slot("bytes")),
      key_count: eb("key_count", "+", slot("keys")),
    }))
    .where("id", "=", slot("id")),
);

type OfOrganization = ById & Record<"accounts" | "projects", number>;

const ADD_TO_ORGANIZATION = prepare((slot: SlotOf<OfOrganization>) =>
  build
    .updateTable("organization")
    .set((eb) => ({
      project_count: eb("project_count", "+", slot("projects")),
      account_count: eb("account_count", "+", slot("accounts")),
    }))
    .where("id", "=", slot("id"))
    .returning(ORGANIZATION_USAGE),
);

/** Adds new projects and accounts to the usage of an organization, within its quotas; NOT_FOUND if there is none. */
export async function growOrganization(
  tx: Tx,
  id: string,
  growth: Pick<Amounts, "accounts" | "projects">,
): Promise<void> {
  const { accounts = 0, projects = 0 } = growth;
  const [row] = await tx.all(ADD_TO_ORGANIZATION({ id, accounts, projects }));
  if (row === undefined) throw notFound("organization", id);
  checkGrowth({ kind: "organization", id }, toUsage(row), growth);
}

/** Makes the projects of an organization grow one after the other. */
const LOCK_ORGANIZATION = prepare((slot: SlotOf<ById>) =>
  build
    .updateTable("organization")
    .set({ project_count: sql`project_count` })
    .where("id", "=", slot("id")),
);

/** Checks growth that is counted already against the quotas of an organization or project. */
export async function checkCountedGrowth(tx: Tx, holder: Holder, growth: Amounts): Promise<void> {
  if (holder.kind === "organization") await tx.all(LOCK_ORGANIZATION({ id: holder.id }));
  // A statement of its own, which sees writes that were committed before the lock was released.
  const usage = await readUsage(tx, holder);
  if (usage !== undefined) checkGrowth(holder, usage, growth);
}

/** Checks the growth of a project's drafts, which is counted already, against the quotas of the project and its organization. */
export async function checkDraftGrowth(
  tx: Tx,
  { projectId, organizationId }: { readonly projectId: string; readonly organizationId: string },
  bytes: number,
): Promise<void> {
  if (bytes <= 0) return;
  const [row] = await tx.all(SELECT_PROJECT({ id: projectId }));
  if (row === undefined) return;
  checkGrowth({ kind: "project", id: projectId }, toUsage(row), { bytes });
  if (row.is_limited === null) return;
  await checkCountedGrowth(tx, { kind: "organization", id: organizationId }, { bytes });
}
