import { type SelectQueryBuilder, sql } from "kysely";
import {
  type AccessToken,
  AccessTokenSchema,
} from "../../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { type Role, RoleSchema } from "../../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import type { Schema } from "../../../../gen/tables.ts";
import type { Binding, ResourceRef } from "../../../domain/access/permissions.ts";
import { givenPermissions, OPERATING } from "../../../domain/access/roles.ts";
import { BUILT_IN_ROLES } from "../../../domain/built-in-roles.ts";
import type {
  AccessStore,
  Account,
  OwnerBinding,
  ProjectKey,
  StoredToken,
} from "../../contract/access.ts";
import type { DocumentType } from "../../contract/document-store.ts";
import { build, prepare, type SlotOf } from "../../db/query.ts";
import { microsToDate, UNSET_TIME } from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { readDocument } from "../base/stored-document.ts";
import { LookupMemo, type OfRevision } from "../content/index/lookup-memo.ts";
import { tableOf } from "./document-kinds.ts";
import { locateResources } from "./locate.ts";

/** Maximum number of projects cached in memory. */
const MOST_PROJECTS = 10_000;

/** Maximum number of roles searched for an overreaching permission. */
const MOST_ROLES = 1_000;

/** The uid of a project. */
interface ProjectUid extends OfRevision {
  readonly uid: string;
}

/** Credentials, roles and bindings. */
export class SqlAccessStore extends ConnectedStore implements AccessStore {
  #uids: LookupMemo<ProjectUid> | undefined;

  async findToken(tokenHash: Uint8Array): Promise<StoredToken | undefined> {
    const [row] = await this.read.all(SELECT_TOKEN({ tokenHash }));
    if (row === undefined) return undefined;
    const { expire_time: expires, revoke_time: revoked } = row;
    return {
      id: row.id,
      account: { id: row.account_id, organizationId: row.organization_id },
      isSession: row.is_session === 1,
      ...(expires !== UNSET_TIME && { expireTime: microsToDate(expires) }),
      ...(revoked !== UNSET_TIME && { revokeTime: microsToDate(revoked) }),
    };
  }

  async findProjectKey(keyHash: Uint8Array): Promise<Required<ProjectKey> | undefined> {
    const [key] = await this.read.all(
      build
        .selectFrom("project_key")
        .innerJoin("project", "project.id", "project_key.project_id")
        .select(["project.id as projectId", "project.organization_id as organizationId", "kind"])
        .select("project.change_count as revision")
        .where("hash", "=", keyHash),
    );
    return key;
  }

  async findProjectUid(projectId: string): Promise<string | undefined> {
    this.#uids ??= new LookupMemo(this.connections.changes, MOST_PROJECTS);
    const found = await this.#uids.find(projectId, async () => {
      const [project] = await this.read.all(
        build
          .selectFrom("project")
          .select(["id as projectId", "change_count as revision", "uid"])
          .where("id", "=", projectId),
      );
      return project;
    });
    return found?.uid;
  }

  async listBindings(account: Account): Promise<Binding[]> {
    return toBindings(await this.read.all(SELECT_BINDINGS(account)));
  }

  async listInvitedBindings(organizationId: string): Promise<Binding[]> {
    const invited = build
      .selectFrom("account")
      .select("account.id")
      .where("account.organization_id", "=", organizationId)
      .where("account.email", "<>", sql.lit(""));
    const bindings = build
      .selectFrom("binding")
      .where("account_organization_id", "=", organizationId)
      .where("account_id", "in", invited);
    return toBindings(await this.read.all(withRoles(bindings)));
  }

  async listOwners(organizationId: string): Promise<OwnerBinding[]> {
    const { dialect, tx } = this.connections;
    if (tx !== undefined) await dialect.lockName(tx, `owners of ${organizationId}`);
    const rows = await this.read.all(
      build
        .selectFrom("binding")
        .select(["id", "account_id", "account_organization_id"])
        .where("organization_id", "=", organizationId)
        .where("resource_type", "=", "organization")
        .where("resource_id", "=", organizationId)
        .where("role_id", "=", "owner")
        .orderBy("id"),
    );
    return rows.map((row) => ({
      bindingId: row.id,
      account: { id: row.account_id, organizationId: row.account_organization_id },
    }));
  }

  async hasOperator(): Promise<boolean> {
    const [row] = await this.read.all(
      build.selectFrom("binding").select("id").where("role_id", "=", "operator"),
    );
    return row !== undefined;
  }

  async listOverreachingRoles(): Promise<Role[]> {
    const rows = await this.read.all(
      build
        .selectFrom("role")
        .select("doc")
        .where(this.connections.dialect.holdsText("doc", OPERATING))
        .orderBy("organization_id")
        .orderBy("id")
        .limit(MOST_ROLES),
    );
    return rows
      .map(({ doc }) => readDocument(RoleSchema, doc))
      .filter(({ permissions }) => permissions.includes(OPERATING));
  }

  async listProjectIds(organizationId: string): Promise<string[]> {
    const rows = await this.read.all(
      build
        .selectFrom("project")
        .select("id")
        .where("organization_id", "=", organizationId)
        .orderBy("id"),
    );
    return rows.map((row) => row.id);
  }

  locate(kind: string, ids: readonly string[], organizationId?: string): Promise<ResourceRef[]> {
    return locateResources(this.read, kind, ids, organizationId);
  }

  async listOrganizationsOf(kind: DocumentType, id: string): Promise<string[]> {
    const rows = await this.read.all(
      build
        .selectFrom(tableOf(kind))
        .select("organization_id")
        .where("id", "=", id)
        .orderBy("organization_id"),
    );
    return rows.map((row) => row.organization_id);
  }

  listAccessTokens(account?: Account): Promise<AccessToken[]> {
    return this.#readTokens(account === undefined ? TOKENS : tokensOf(account));
  }

  listSessions(account: Account): Promise<AccessToken[]> {
    return this.#readTokens(tokensOf(account).where("is_session", "=", sql.lit(1)));
  }

  async #readTokens(tokens: typeof TOKENS): Promise<AccessToken[]> {
    const rows = await this.read.all(tokens.orderBy("create_time").orderBy("id"));
    return rows.map((row) => readDocument(AccessTokenSchema, row.doc));
  }
}

const TOKENS = build.selectFrom("access_token").select("doc");

function tokensOf({ id, organizationId }: Account) {
  return TOKENS.where("organization_id", "=", organizationId).where("account_id", "=", id);
}

const SELECT_TOKEN = prepare((slot: SlotOf<{ readonly tokenHash: Uint8Array }>) =>
  build
    .selectFrom("access_token")
    .select(["id", "account_id", "organization_id", "is_session", "expire_time", "revoke_time"])
    .where("hash", "=", slot("tokenHash")),
);

const SELECT_BINDINGS = prepare((slot: SlotOf<Account>) =>
  withRoles(
    build
      .selectFrom("binding")
      .where("account_organization_id", "=", slot("organizationId"))
      .where("account_id", "=", slot("id")),
  ),
);

/** Selects the scopes of bindings, and their stored roles, each once: thousands may be equal. */
function withRoles(bindings: SelectQueryBuilder<Schema, "binding", object>) {
  const scopes = bindings
    .select(["organization_id", "role_id", "resource_type", "resource_id", "project_id"])
    .distinct();
  const named = bindings.select(["organization_id", "role_id"]).distinct();
  const roles = build
    .selectFrom(named.as("named"))
    .innerJoin("role", (join) =>
      join
        .onRef("role.organization_id", "=", "named.organization_id")
        .onRef("role.id", "=", "named.role_id"),
    )
    .select(["role.organization_id", "role.id as role_id"])
    .select([
      sql.lit("").as("resource_type"),
      sql.lit("").as("resource_id"),
      sql.lit("").as("project_id"),
      "role.doc",
    ]);
  return build
    .selectFrom(scopes.as("scope"))
    .selectAll()
    .select(sql<Uint8Array | null>`null`.as("doc"))
    .unionAll(roles);
}

/** The permissions of the built-in roles. */
const BUILT_IN = new Map(BUILT_IN_ROLES.map(({ id, permissions }) => [id, new Set(permissions)]));

/** The scope of bindings, or a role that some of them name. */
interface ScopeRow {
  readonly organization_id: string;
  readonly role_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  /** Empty on the organization. */
  readonly project_id: string;
  /** The role; null in a scope. */
  readonly doc: Uint8Array | null;
}

/** Returns one binding for each resource, with the permissions of all roles there. */
function toBindings(rows: readonly ScopeRow[]): Binding[] {
  const roles = new Map<string, ReadonlySet<string>>();
  for (const { organization_id, role_id, doc } of rows) {
    if (doc === null) continue;
    const permissions = new Set(givenPermissions(readDocument(RoleSchema, doc)));
    roles.set(`${organization_id}/${role_id}`, permissions);
  }
  // A stored role may be older than the built-in one of its id.
  const permissionsOf = ({ organization_id, role_id }: ScopeRow) =>
    roles.get(`${organization_id}/${role_id}`) ?? BUILT_IN.get(role_id) ?? new Set<string>();
  const scopes = rows.filter(({ doc }) => doc === null);
  const resources = Map.groupBy(scopes, (it) =>
    JSON.stringify([it.organization_id, it.project_id, it.resource_type, it.resource_id]),
  );
  return [...resources.values()].flatMap((held): Binding[] => {
    const [scope] = held;
    if (scope === undefined) return [];
    const { organization_id: organizationId, project_id: projectId, resource_type: kind } = scope;
    return [
      {
        permissions:
          held.length === 1
            ? permissionsOf(scope)
            : new Set(held.flatMap((it) => [...permissionsOf(it)])),
        organizationId,
        ...(projectId !== "" && { projectId }),
        ...(projectId !== "" &&
          kind !== "project" && { resource: { kind, id: scope.resource_id } }),
      },
    ];
  });
}
