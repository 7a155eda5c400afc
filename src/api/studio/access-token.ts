import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { AccessTokenSchema } from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import type { AccessTokenService } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import { createToken, hashToken } from "../../auth/token.ts";
import { checkExpireTime, revokeAccessToken } from "../../domain/access/access-token.ts";
import { checkImpersonation } from "../../domain/access/roles.ts";
import { getHeld, getRequest, getStore } from "../steps/call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of access tokens. */
export function createAccessTokenHandlers(
  parts: ResourceParts,
): ServiceImpl<typeof AccessTokenService> {
  const tokens = createResource("access_token", AccessTokenSchema, parts, {
    orders: ["create_time"],
  });

  /** Requires the caller to hold every permission of the account, because its token could use them all. */
  async function checkMayActAs({ values }: HandlerContext, accountId: string): Promise<void> {
    const { access, organizationId } = getStore(values);
    checkImpersonation(
      getHeld(values),
      await access.listBindings({ id: accountId, organizationId }),
    );
  }

  return {
    async createAccessToken({ accessToken: sent, accessTokenId }, context) {
      if (sent !== undefined) checkExpireTime(sent, getRequest(context.values).now);
      await checkMayActAs(context, sent?.accountId ?? "");
      const token = createToken("access");
      const extra = { hash: hashToken(token) };
      return { accessToken: await tokens.create(context, sent, accessTokenId, extra), token };
    },

    async getAccessToken({ accessTokenId }, context) {
      return { accessToken: await tokens.get(context, accessTokenId) };
    },

    async listAccessTokens(request, context) {
      const { values, nextPageToken } = await tokens.list(context, request, [request.accountId]);
      return { accessTokens: values, nextPageToken };
    },

    async revokeAccessToken({ accessTokenId }, context) {
      const { now } = getRequest(context.values);
      return {
        accessToken: await tokens.change(context, accessTokenId, (current) =>
          revokeAccessToken(current, now),
        ),
      };
    },
  };
}
