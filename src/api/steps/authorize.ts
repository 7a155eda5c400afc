import type { Message } from "@bufbuild/protobuf";
import type { Permission } from "../../../gen/svc/options/v1/access_pb.ts";
import {
  type Binding,
  decideAccess,
  printResourceKey,
  type ResourceRef,
} from "../../domain/access/permissions.ts";
import { isReadOnly } from "../../domain/access/roles.ts";
import { Code, DomainError, notFound } from "../../domain/base/errors.ts";
import { checkField } from "../../domain/base/field-errors.ts";
import type { Account } from "../../storage/contract/access.ts";
import type { Store } from "../../storage/contract/store.ts";
import { type IncomingCall, readHeader } from "./incoming-call.ts";
import { readAccessRule, readReleaseFields, readResourceIds } from "./request-fields.ts";
import type { Granted } from "./studio-call.ts";

/** The most resources that one request may name (contract: limits 7). */
const MAX_IDS = 100;

/**
 * The header with the organization id for looking up ids; absent: the account's own. It grants no access: a resource
 * that the account has no role on is NOT_FOUND.
 */
export const ORGANIZATION_HEADER = "x-organization-id";

/** The part of the store that authorization reads. */
interface AuthorizationStore {
  readonly access: Pick<Store["access"], "listBindings" | "listProjectIds" | "locate">;
  readonly releaseItems: Pick<Store["releaseItems"], "locate">;
}

/**
 * Enforces a method's access option: the account must have the permission on every resource that the request names, or
 * on an ancestor of it. NOT_FOUND for resources that do not exist or are outside every role of the account;
 * PERMISSION_DENIED, with the permission and the resource in the metadata, where it has one.
 */
export async function authorize(
  store: AuthorizationStore,
  { method, headers }: IncomingCall,
  account: Account,
  message: Message,
): Promise<Granted> {
  const rule = readAccessRule(method);
  const held = await store.access.listBindings(account);
  if (rule.case !== "permission") return { held };
  const permission = rule.value;
  const ids = checkIds(readResourceIds(method, message), permission);
  if (ids.length === 0) {
    return { held, projectIds: await listGrantedProjects(store, held, permission.name) };
  }

  const organizationId = readHeader(headers, ORGANIZATION_HEADER) || account.organizationId;
  const fields = readReleaseFields(method, message);
  const { name: asked, resourceType } = permission;
  const release =
    fields && (await requireRelease(store, fields.releaseId, organizationId, held, asked));
  const name = release === undefined ? asked : toReading(asked);
  const located = await store.access.locate(resourceType, ids, organizationId);
  const drafted = release && (await store.releaseItems.locate(release, resourceType, ids));
  const resources = new Map([...(drafted ?? []), ...located].map((it) => [it.id, it]));
  const decisions = ids.map((id) => {
    const resource = resources.get(id);
    return {
      id,
      resource,
      decision: resource ? decideAccess(held, resource, name) : "hidden",
    };
  });
  const hidden = decisions.filter(({ decision }) => decision === "hidden").map(({ id }) => id);
  if (hidden.length > 0) throw notFound(resourceType, ...hidden);
  const denied = decisions.find(({ decision }) => decision === "denied");
  if (denied?.resource) throw deny(name, denied.resource);
  const resource = decisions[0]?.resource;
  if (release !== undefined && resource?.projectId !== release.projectId) {
    throw notFound("release", release.id);
  }
  return {
    held,
    ...(resource && { resource }),
    ...(fields && release && { draft: { ...fields, release } }),
    ...(permission.allProjectsWhenEmpty && { projectIds: ids }),
  };
}

/**
 * Finds the release that a request with a permission reads through or writes into. Writing drafts takes the permission to
 * update the release, and for the resource only the permission to read it.
 */
async function requireRelease(
  { access }: AuthorizationStore,
  releaseId: string,
  organizationId: string,
  held: readonly Binding[],
  permission: string,
): Promise<ResourceRef> {
  const [release] = await access.locate("release", [releaseId], organizationId);
  const needed = `cms.releases.${isReadOnly(permission) ? "get" : "update"}`;
  const decision = release && decideAccess(held, release, needed);
  if (release === undefined || decision === "hidden") throw notFound("release", releaseId);
  if (decision === "denied") throw deny(needed, release);
  return release;
}

/** Returns the permission to read what another permission is about. */
function toReading(permission: string): string {
  return isReadOnly(permission) ? permission : permission.replace(/\w+$/, "get");
}

/** Lists the projects on which bindings grant a permission: all of an organization, or those that they are on. */
async function listGrantedProjects(
  store: AuthorizationStore,
  bindings: readonly Binding[],
  permission: string,
): Promise<string[]> {
  const granting = bindings.filter((it) => !it.resource && it.permissions.has(permission));
  const granted: string[][] = [];
  for (const [organizationId, held] of Map.groupBy(granting, (it) => it.organizationId)) {
    const ofProjects = held.flatMap(({ projectId = [] }) => projectId);
    const isWhole = ofProjects.length < held.length;
    granted.push(isWhole ? await store.access.listProjectIds(organizationId) : ofProjects);
  }
  return granted.flat();
}

function checkIds(sent: readonly string[], permission: Permission): string[] {
  const ids = [...new Set(sent)].filter(Boolean);
  const { resourceField: field, allProjectsWhenEmpty } = permission;
  const description = `must have at most ${MAX_IDS} ids, not ${ids.length}`;
  checkField(ids.length <= MAX_IDS, field, "BATCH_SIZE_INVALID", description);
  checkField(ids.length > 0 || allProjectsWhenEmpty, field, "FIELD_REQUIRED", "is required");
  return ids;
}

/** Checks that an account has a permission on a resource. PERMISSION_DENIED. */
export function checkGranted(
  held: readonly Binding[],
  resource: ResourceRef,
  permission: string,
): void {
  if (decideAccess(held, resource, permission) !== "granted") throw deny(permission, resource);
}

/** Creates the PERMISSION_DENIED error of an account that lacks a permission on a resource. */
export function deny(permission: string, resource: ResourceRef): DomainError {
  const key = printResourceKey(resource);
  return new DomainError(
    Code.PERMISSION_DENIED,
    "PERMISSION_DENIED",
    `the account lacks permission '${permission}' on '${key}'`,
    { metadata: { permission, resource: key } },
  );
}
