import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { AccountSchema } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import type { AccountService } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import { checkOwnerRemains } from "../../domain/access/binding.ts";
import { checkImpersonation } from "../../domain/access/roles.ts";
import { getHeld, getStore } from "../steps/call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of accounts. */
export function createAccountHandlers(parts: ResourceParts): ServiceImpl<typeof AccountService> {
  const accounts = createResource("account", AccountSchema, parts, {
    orders: ["create_time", "update_time"],
  });
  return {
    async createAccount({ account, accountId }, context) {
      return { account: await accounts.create(context, account, accountId) };
    },

    async getAccount({ accountId }, context) {
      return { account: await accounts.get(context, accountId) };
    },

    async listAccounts(request, context) {
      const { values, nextPageToken } = await accounts.list(context, request, [
        request.organizationId,
      ]);
      return { accounts: values, nextPageToken };
    },

    async updateAccount({ accountId, account, updateMask }, context) {
      return { account: await accounts.update(context, accountId, account, updateMask) };
    },

    async deleteAccount({ accountId, force }, context) {
      await checkMayDelete(context, accountId);
      await accounts.delete(context, accountId, force);
      return {};
    },
  };
}

/** Checks an account's roles in its own organization, whose member it is; those elsewhere go with it. */
async function checkMayDelete({ values }: HandlerContext, accountId: string): Promise<void> {
  const { access, organizationId: ownId } = getStore(values);
  const bindings = await access.listBindings({ id: accountId, organizationId: ownId });
  checkImpersonation(
    getHeld(values),
    bindings.filter((it) => it.organizationId === ownId),
  );
  for (const organizationId of new Set(bindings.map((it) => it.organizationId))) {
    const owners = await access.listOwners(organizationId);
    checkOwnerRemains(
      organizationId,
      owners,
      ({ account }) => account.id === accountId && account.organizationId === ownId,
    );
  }
}
