import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { AccountSchema } from "../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { OrganizationSchema } from "../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { Code, DomainError } from "../domain/errors.ts";
import { printResourceKey } from "../domain/resource-key.ts";
import type { Store } from "../storage/store.ts";
import { issueAccessToken } from "./issue.ts";

/** What an installation begins with. */
export interface Founded {
  readonly organizationId: string;
  readonly accountId: string;
  /** The access token of the account; it is kept nowhere. */
  readonly token: string;
}

/** The roles of the first account: all in its own organization, and to make others. */
const ROLES = ["owner", "operator"];

/**
 * Makes the first organization, and an account in it with the roles `owner` and `operator`, all or
 * nothing. FAILED_PRECONDITION `DATABASE_NOT_EMPTY` if there is an organization already.
 */
export function foundInstallation(
  store: Store,
  names: { readonly organization: string; readonly account: string },
  createId: () => string,
  now: Date,
): Promise<Founded> {
  const createTime = timestampFromDate(now);
  const times = { createTime, updateTime: createTime };
  const [organizationId, accountId] = [createId(), createId()];
  return store.transaction(async (unit) => {
    if (!(await unit.isEmpty())) throw notEmpty();
    const { documents } = unit;
    await documents.organization.create(
      create(OrganizationSchema, { id: organizationId, name: names.organization, ...times }),
    );
    await documents.account.create(
      create(AccountSchema, { id: accountId, organizationId, name: names.account, ...times }),
    );
    const resourceKey = printResourceKey({ type: "organization", id: organizationId });
    for (const roleId of ROLES) {
      const place = { organizationId, accountId, roleId, resourceKey };
      await documents.binding.create(
        create(BindingSchema, { id: createId(), ...place, createTime }),
      );
    }
    const token = { id: createId(), accountId, name: "made by marquee init" };
    const { secret } = await issueAccessToken(documents, token, now);
    return { organizationId, accountId, token: secret };
  });
}

function notEmpty(): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "DATABASE_NOT_EMPTY",
    "the database holds an organization already; its operator makes others",
  );
}
