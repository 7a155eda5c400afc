import { clone, create, type Message } from "@bufbuild/protobuf";
import { type AliasedRawBuilder, sql } from "kysely";
import {
  type Organization,
  OrganizationSchema,
  OrganizationUsageSchema,
} from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import {
  type Project,
  ProjectSchema,
  ProjectUsageSchema,
} from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { notFound } from "../../domain/errors.ts";
import { type Amounts, checkGrowth, type Holder, readQuotas } from "../../domain/quotas.ts";
import type { Db, Tx } from "../db/db.ts";
import { build, prepare, type SlotOf } from "../db/query.ts";
import type { Schema } from "../db/schema.ts";

/** What an organization or project holds and may hold. */
export interface Usage {
  readonly used: Amounts;
  /** 0: no limit. */
  readonly quotas: Amounts;
}

/** The columns of a project's usage. */
export const PROJECT_USAGE = [
  ...(["item_count", "byte_count", "key_count"] as const),
  ...(["item_quota", "byte_quota", "key_quota"] as const),
] as const;

/** A row with the columns of a project's usage. */
export type ProjectUsageRow = Readonly<Record<(typeof PROJECT_USAGE)[number], number>>;

/** The columns of an organization's usage, without the sums of its projects. */
const ORGANIZATION_USAGE = [
  ...(["project_count", "account_count", "project_quota", "account_quota"] as const),
  ...(["item_quota", "byte_quota"] as const),
] as const;

type OrganizationUsageRow = Readonly<Record<(typeof ORGANIZATION_USAGE)[number], number>> &
  Readonly<Partial<Record<"item_count" | "byte_count", number>>>;

/** Returns the usage of a project from its row. */
export function toProjectUsage(row: ProjectUsageRow): Usage {
  return {
    used: { items: row.item_count, bytes: row.byte_count, keys: row.key_count },
    quotas: { items: row.item_quota, bytes: row.byte_quota, keys: row.key_quota },
  };
}

/** Returns the usage of an organization from its row, with which the sums of its projects are selected. */
function toOrganizationUsage(row: OrganizationUsageRow): Usage {
  return {
    used: {
      ...{ projects: row.project_count, accounts: row.account_count },
      ...{ items: row.item_count ?? 0, bytes: row.byte_count ?? 0 },
    },
    quotas: {
      ...{ projects: row.project_quota, accounts: row.account_quota },
      ...{ items: row.item_quota, bytes: row.byte_quota },
    },
  };
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
    ...{ project_quota: projects, account_quota: accounts },
    ...{ item_quota: items, byte_quota: bytes },
  };
}

/** Selects what a project counts in a column, over all projects of an organization. */
const sumOf = (column: "item_count" | "byte_count") =>
  sql<number>`(
    select cast(coalesce(sum(${sql.ref(column)}), 0) as bigint) from project
    where project.organization_id = organization.id
  )`.as(column);

/** The selection of an organization's usage. */
const ORGANIZATION_SELECTION = [
  ...ORGANIZATION_USAGE,
  sumOf("item_count"),
  sumOf("byte_count"),
] as const;

/** Returns the selection of usage for {@link withUsage}. */
export function usageSelection(
  type: Holder,
): readonly (
  | keyof Schema["organization"]
  | keyof Schema["project"]
  | AliasedRawBuilder<number, string>
)[] {
  return type === "project" ? PROJECT_USAGE : ORGANIZATION_SELECTION;
}

/** Reports whether a message has usage. */
export function hasUsage(message: Message): message is Organization | Project {
  const { $typeName } = message as Organization | Project;
  return $typeName === OrganizationSchema.typeName || $typeName === ProjectSchema.typeName;
}

/** Returns a copy of an organization or project without its usage. */
export function withoutUsage(value: Organization | Project): Organization | Project {
  const copy =
    value.$typeName === "svc.studio.iam.project.v1.Project"
      ? clone(ProjectSchema, value)
      : clone(OrganizationSchema, value);
  delete copy.usage;
  return copy;
}

/** Returns an organization or project with its usage, from a row with the columns of {@link usageSelection}. */
export function withUsage<T extends Organization | Project>(value: T, row: object): T {
  if (value.$typeName === "svc.studio.iam.project.v1.Project") {
    const { used } = toProjectUsage(row as ProjectUsageRow);
    value.usage = create(ProjectUsageSchema, toUsageFields(used));
  } else {
    const { used } = toOrganizationUsage(row as OrganizationUsageRow);
    value.usage = create(OrganizationUsageSchema, toUsageFields(used));
  }
  return value;
}

function toUsageFields({ items = 0, bytes = 0, ...counts }: Amounts) {
  return { ...counts, items: BigInt(items), bytes: BigInt(bytes) };
}

/** Reads the usage of an organization or project; undefined if there is none. */
export async function readUsage(
  db: Db,
  { type, id }: { readonly type: Holder; readonly id: string },
): Promise<Usage | undefined> {
  if (type === "project") {
    const row = await db.first(
      build.selectFrom("project").select(PROJECT_USAGE).where("id", "=", id),
    );
    return row && toProjectUsage(row);
  }
  const [row] = await db.all(SELECT_ORGANIZATION({ id }));
  return row && toOrganizationUsage(row);
}

type ById = { readonly id: string };

const SELECT_ORGANIZATION = prepare((slot: SlotOf<ById>) =>
  build.selectFrom("organization").select(ORGANIZATION_SELECTION).where("id", "=", slot("id")),
);

/** Adds amounts to what an organization or project counts; its quotas are not checked. */
export async function addUsage(
  tx: Tx,
  { type, id }: { readonly type: Holder; readonly id: string },
  { items = 0, bytes = 0, keys = 0, accounts = 0, projects = 0 }: Amounts,
): Promise<void> {
  if (type === "organization") {
    if (accounts !== 0 || projects !== 0)
      await tx.run(FREE_ORGANIZATION({ id, accounts, projects }));
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

const addToOrganization = (slot: SlotOf<OfOrganization>) =>
  build
    .updateTable("organization")
    .set((eb) => ({
      project_count: eb("project_count", "+", slot("projects")),
      account_count: eb("account_count", "+", slot("accounts")),
    }))
    .where("id", "=", slot("id"));

const FREE_ORGANIZATION = prepare(addToOrganization);

const ADD_TO_ORGANIZATION = prepare((slot: SlotOf<OfOrganization>) =>
  addToOrganization(slot).returning(ORGANIZATION_USAGE),
);

/** Counts new projects and accounts of an organization, within its quotas; NOT_FOUND if there is none. */
export async function growOrganization(
  tx: Tx,
  id: string,
  growth: Pick<Amounts, "accounts" | "projects">,
): Promise<void> {
  const { accounts = 0, projects = 0 } = growth;
  const [row] = await tx.all(ADD_TO_ORGANIZATION({ id, accounts, projects }));
  if (row === undefined) throw notFound(`organization ${id}`);
  checkGrowth({ type: "organization", id }, toOrganizationUsage(row), growth);
}

/** Selects 1 for a project whose organization limits its items or bytes. */
export const LIMITED_BY_ORGANIZATION = sql<number | null>`(
  select 1 from organization
  where organization.id = project.organization_id
    and (organization.item_quota > 0 or organization.byte_quota > 0)
)`;

/** Lets the projects of an organization grow one after the other. */
const LOCK_ORGANIZATION = prepare((slot: SlotOf<ById>) =>
  build
    .updateTable("organization")
    .set({ project_count: sql`project_count` })
    .where("id", "=", slot("id")),
);

/** Checks growth that one of its projects has counted against the quotas of an organization. */
export async function checkOrganizationGrowth(tx: Tx, id: string, growth: Amounts): Promise<void> {
  await tx.all(LOCK_ORGANIZATION({ id }));
  // A statement of its own, which sees what others had written before they let go of the lock.
  const [row] = await tx.all(SELECT_ORGANIZATION({ id }));
  if (row !== undefined) {
    checkGrowth({ type: "organization", id }, toOrganizationUsage(row), growth);
  }
}
