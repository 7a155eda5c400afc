import type { Account } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { AccountService } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import { revokeAccessToken } from "../../domain/access/access-token.ts";
import { checkOwnerRemains } from "../../domain/access/binding.ts";
import { checkImpersonation } from "../../domain/access/roles.ts";
import { forgetHolder } from "../../domain/access/staff-sign-in.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of accounts. */
export function createAccountService(dependencies: StudioDependencies): StudioService {
  const accounts = new Resource("account", dependencies);
  return implementKind(AccountService, accounts, {
    async updateAccount({ accountId, account: sent, updateMask }, call) {
      const setsEmail = updateMask?.paths.includes("email");
      if (setsEmail) await checkMaySetEmail(call, accountId, sent?.email);
      const account = await accounts.update(call, accountId, sent, updateMask, forgetHolder);
      if (setsEmail && account.lastSignIn === undefined) await endSessions(call, account);
      return { account };
    },

    async deleteAccount({ accountId, force }, call) {
      await checkMayDelete(call, accountId);
      await accounts.delete(call, accountId, force);
      return {};
    },
  });
}

/** Checks that the caller may become an account, because the holder of its e-mail can. */
async function checkMaySetEmail(call: StudioCall, id: string, email = ""): Promise<void> {
  const { organization, organizationId, store } = call;
  const { value } = await organization.documents.account.get(id);
  if (value.email === email) return;
  checkImpersonation(call.held, await store.access.listBindings({ id, organizationId }));
}

/** Ends the sessions of an account that has no holder any longer. */
async function endSessions({ organization, store, now }: StudioCall, account: Account) {
  const { access_token: tokens } = organization.documents;
  for (const { id } of await store.access.listSessions(account)) {
    await tokens.update(id, ({ value }) => revokeAccessToken(value, now));
  }
}

/** Checks an account's roles in its own organization, whose member it is; those elsewhere go with it. */
async function checkMayDelete(call: StudioCall, accountId: string): Promise<void> {
  const { organizationId: ownId, store } = call;
  const bindings = await store.access.listBindings({ id: accountId, organizationId: ownId });
  checkImpersonation(
    call.held,
    bindings.filter((it) => it.organizationId === ownId),
  );
  // In order: two deletions must not wait for each other.
  for (const organizationId of [...new Set(bindings.map((it) => it.organizationId))].sort()) {
    const owners = await store.access.listOwners(organizationId);
    checkOwnerRemains(
      organizationId,
      owners,
      ({ account }) => account.id === accountId && account.organizationId === ownId,
    );
  }
}
