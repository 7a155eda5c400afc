import type { Kysely, Selectable } from "kysely";
import { notFound } from "../../domain/errors.ts";
import { type ContentKind, isContentKind } from "../../domain/order.ts";
import type { Binding, ResourceRef } from "../../domain/permissions.ts";
import type { AccessStore, AccessTokenInfo, ProjectKey } from "../store.ts";
import type { Connections, Schema } from "./schema.ts";
import { dateToMicros, microsToDate } from "./times.ts";

/** The tables whose rows are resources of a project, by resource type. */
const PROJECT_RESOURCES = {
  annotation: "annotation",
  annotation_type: "annotation_type",
  banner_collection: "banner_collection",
  offer: "offer",
  page: "page",
  page_component: "page_component",
  ruleset: "ruleset",
  transaction: "transaction_record",
  video: "video",
} as const;

/** How many keys of projects are kept in memory. */
const MOST_KEYS = 10_000;

/** Creates the store of credentials, roles and bindings. */
export function createAccessStore(
  { read, write }: Connections,
  version: () => number,
): AccessStore {
  /** The keys of projects by hash, as they were at a version: every delivery request asks. */
  const keys = new Map<string, { readonly version: number; readonly key: ProjectKey }>();
  return {
    async findAccount(tokenHash, now) {
      const row = await read
        .selectFrom("access_token")
        .innerJoin("account", "account.id", "access_token.account_id")
        .select(["account.id", "account.organization_id"])
        .where("hash", "=", tokenHash)
        .where("revoke_time", "is", null)
        .where((eb) =>
          eb.or([eb("expire_time", "is", null), eb("expire_time", ">", dateToMicros(now))]),
        )
        .executeTakeFirst();
      return row && { id: row.id, organizationId: row.organization_id };
    },

    async findProjectKey(keyHash) {
      const hash = Buffer.from(keyHash).toString("base64");
      const current = version();
      const known = keys.get(hash);
      if (known?.version === current) return known.key;
      keys.delete(hash);
      const row = await read
        .selectFrom("project_key")
        .innerJoin("project", "project.id", "project_key.project_id")
        .select(["project.id", "project.organization_id", "kind"])
        .where("hash", "=", keyHash)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const key = { projectId: row.id, organizationId: row.organization_id, kind: row.kind };
      if (keys.size >= MOST_KEYS) keys.clear();
      keys.set(hash, { version: current, key });
      return key;
    },

    async listBindings(accountId) {
      const rows = await read
        .selectFrom("binding")
        .innerJoin("role", "role.id", "binding.role_id")
        .selectAll("binding")
        .select("permissions")
        .where("account_id", "=", accountId)
        .execute();
      return rows.map(toBinding);
    },

    async listProjectIds(organizationId) {
      const rows = await read
        .selectFrom("project")
        .select("id")
        .where("organization_id", "=", organizationId)
        .orderBy("id")
        .execute();
      return rows.map((row) => row.id);
    },

    locate: (type, ids) => locate(read, type, ids),

    createAccessToken: (token) =>
      write.transaction().execute(async (tx) => {
        await requireRow(tx, "account", token.accountId);
        await tx
          .insertInto("access_token")
          .values({
            id: token.id,
            account_id: token.accountId,
            name: token.name,
            hash: token.hash,
            create_time: dateToMicros(token.createTime),
            expire_time: token.expireTime === undefined ? null : dateToMicros(token.expireTime),
            revoke_time: null,
          })
          .execute();
      }),

    async listAccessTokens(accountId) {
      let select = read.selectFrom("access_token").selectAll().orderBy("create_time").orderBy("id");
      if (accountId !== undefined) select = select.where("account_id", "=", accountId);
      return (await select.execute()).map(toAccessTokenInfo);
    },

    revokeAccessToken: (id, now) =>
      write.transaction().execute(async (tx) => {
        await requireRow(tx, "access_token", id);
        await tx
          .updateTable("access_token")
          .set({ revoke_time: dateToMicros(now) })
          .where("id", "=", id)
          .where("revoke_time", "is", null)
          .execute();
      }),

    createProjectKey: (projectId, kind, hash) =>
      write.transaction().execute(async (tx) => {
        await requireRow(tx, "project", projectId);
        await tx.insertInto("project_key").values({ hash, project_id: projectId, kind }).execute();
      }),
  };
}

async function locate(
  db: Kysely<Schema>,
  type: string,
  ids: readonly string[],
): Promise<ResourceRef[]> {
  if (ids.length === 0) return [];
  if (type === "organization") {
    const rows = await db
      .selectFrom("organization")
      .select("id")
      .where("id", "in", [...ids])
      .execute();
    return rows.map(({ id }) => ({ type, id, organizationId: id }));
  }
  if (type === "project") {
    const rows = await db
      .selectFrom("project")
      .select(["id", "organization_id"])
      .where("id", "in", [...ids])
      .execute();
    return rows.map((row) => ({
      type,
      id: row.id,
      organizationId: row.organization_id,
      projectId: row.id,
    }));
  }
  if (isContentKind(type)) return locateContent(db, type, ids);
  if (!isProjectResource(type)) return [];
  // The tables have the columns used here in common; naming one of them tells the types.
  const table = PROJECT_RESOURCES[type] as "annotation";
  const rows = await db
    .selectFrom(`${table} as resource`)
    .innerJoin("project", "project.id", "resource.project_id")
    .select(["resource.id", "resource.project_id", "project.organization_id"])
    .where("resource.id", "in", [...ids])
    .execute();
  return rows.map((row) => toRef(type, row));
}

async function locateContent(
  db: Kysely<Schema>,
  kind: ContentKind,
  ids: readonly string[],
): Promise<ResourceRef[]> {
  const rows = await db
    .selectFrom("content")
    .innerJoin("content_collection as shelf", "shelf.collection", "content.collection")
    .innerJoin("project", "project.id", "shelf.project_id")
    .select(["content.id", "shelf.project_id", "project.organization_id"])
    .where("content.kind", "=", kind)
    .where("content.id", "in", [...ids])
    .execute();
  return rows.map((row) => toRef(kind, row));
}

function toRef(
  type: string,
  row: { readonly id: string; readonly project_id: string; readonly organization_id: string },
): ResourceRef {
  return { type, id: row.id, organizationId: row.organization_id, projectId: row.project_id };
}

function isProjectResource(type: string): type is keyof typeof PROJECT_RESOURCES {
  return Object.hasOwn(PROJECT_RESOURCES, type);
}

async function requireRow(
  db: Kysely<Schema>,
  table: "account" | "access_token" | "project",
  id: string,
): Promise<void> {
  const row = await db.selectFrom(table).select("id").where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound(`${table} ${id}`);
}

function toBinding(row: Selectable<Schema["binding"]> & { permissions: string }): Binding {
  const { project_id, resource_type, resource_id } = row;
  return {
    permissions: new Set(JSON.parse(row.permissions) as string[]),
    organizationId: row.organization_id,
    ...(project_id !== null && { projectId: project_id }),
    ...(resource_type !== null &&
      resource_id !== null && { resource: { type: resource_type, id: resource_id } }),
  };
}

function toAccessTokenInfo(row: Selectable<Schema["access_token"]>): AccessTokenInfo {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    createTime: microsToDate(row.create_time),
    ...(row.expire_time !== null && { expireTime: microsToDate(row.expire_time) }),
    ...(row.revoke_time !== null && { revokeTime: microsToDate(row.revoke_time) }),
  };
}
