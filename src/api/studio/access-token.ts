import { AccessTokenKind } from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { AccessTokenService } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import { createToken, hashToken } from "../../auth/token.ts";
import { checkExpireTime, revokeAccessToken } from "../../domain/access/access-token.ts";
import { checkImpersonation } from "../../domain/access/roles.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of access tokens. */
export function createAccessTokenService(dependencies: StudioDependencies): StudioService {
  const tokens = new Resource("access_token", dependencies);

  /** Requires the caller to have every permission of the account, because its token could use them all. */
  async function checkMayActAs(call: StudioCall, accountId: string): Promise<void> {
    const { organizationId, store } = call;
    const bindings = await store.access.listBindings({ id: accountId, organizationId });
    checkImpersonation(call.held, bindings);
  }

  return implementKind(AccessTokenService, tokens, {
    async createAccessToken({ accessToken: sent, accessTokenId }, call) {
      if (sent !== undefined) checkExpireTime(sent, call.now);
      await checkMayActAs(call, sent?.accountId ?? "");
      const token = createToken("access");
      const extra = { hash: hashToken(token) };
      const value = sent && { ...sent, kind: AccessTokenKind.TOKEN };
      return { accessToken: await tokens.create(call, value, accessTokenId, extra), token };
    },

    async revokeAccessToken({ accessTokenId }, call) {
      const { now } = call;
      return {
        accessToken: await tokens.change(call, accessTokenId, (current) =>
          revokeAccessToken(current, now),
        ),
      };
    },
  });
}
