import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { AccountSchema } from "../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { OrganizationSchema } from "../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { printResourceKey } from "../domain/access/permissions.ts";
import { Code, DomainError } from "../domain/base/errors.ts";
import type { Store } from "../storage/contract/store.ts";
import { issueAccessToken } from "./issue.ts";

/** The first account of an organization. */
export interface Founded {
  readonly organizationId: string;
  readonly accountId: string;
  /** The access token of the account, which is not stored. */
  readonly token: string;
}

/** The roles of the first account of an installation: everything in its organization, and creating others. */
const ROLES = ["owner", "operator"];

/**
 * Creates the first organization and an account in it with the roles `owner` and `operator`, atomically.
 * FAILED_PRECONDITION `DATABASE_NOT_EMPTY` if there is an organization already.
 */
export function foundInstallation(
  store: Store,
  names: { readonly organization: string; readonly account: string },
  createId: () => string,
  now: Date,
): Promise<Founded> {
  return store.transaction("installation", async (unit) => {
    if (!(await unit.isEmpty())) {
      const message =
        "the database already contains an organization; let its operator create others, or adopt an imported one with --organization-id";
      throw new DomainError(Code.FAILED_PRECONDITION, "DATABASE_NOT_EMPTY", message);
    }
    const id = createId();
    const { organization: name, account } = names;
    await unit
      .in(id)
      .documents.organization.create(create(OrganizationSchema, { id, name, ...timesOf(now) }));
    return createOwner(unit, id, account, ROLES, createId, now);
  });
}

/**
 * Creates the first account of an imported organization with the role `owner`, and `operator` unless the installation
 * has one. NOT_FOUND if the organization does not exist; FAILED_PRECONDITION `ORGANIZATION_HAS_OWNER` if it has an
 * owner.
 */
export function adoptOrganization(
  store: Store,
  { organizationId, account }: { readonly organizationId: string; readonly account: string },
  createId: () => string,
  now: Date,
): Promise<Founded> {
  return store.transaction("installation", async (unit) => {
    await unit.in(organizationId).documents.organization.get(organizationId);
    const [owner] = await unit.access.listOwners(organizationId);
    if (owner !== undefined) {
      const message = `organization ${organizationId} already has an owner; create a token for it with 'token create --account ${owner.account.id}'`;
      throw new DomainError(Code.FAILED_PRECONDITION, "ORGANIZATION_HAS_OWNER", message);
    }
    const roles = (await unit.access.hasOperator()) ? ["owner"] : ROLES;
    return createOwner(unit, organizationId, account, roles, createId, now);
  });
}

async function createOwner(
  store: Store,
  organizationId: string,
  name: string,
  roles: readonly string[],
  createId: () => string,
  now: Date,
): Promise<Founded> {
  const { documents } = store.in(organizationId);
  const accountId = createId();
  const times = timesOf(now);
  await documents.account.create(
    create(AccountSchema, { id: accountId, organizationId, name, ...times }),
  );
  const resourceKey = printResourceKey({ kind: "organization", id: organizationId });
  const { createTime } = times;
  for (const roleId of roles) {
    const binding = { organizationId, accountId, roleId, resourceKey };
    await documents.binding.create(
      create(BindingSchema, { id: createId(), ...binding, createTime }),
    );
  }
  const token = { id: createId(), accountId, name: "created by marquee init" };
  const { secret } = await issueAccessToken(documents, token, now);
  return { organizationId, accountId, token: secret };
}

function timesOf(now: Date) {
  const createTime = timestampFromDate(now);
  return { createTime, updateTime: createTime };
}
