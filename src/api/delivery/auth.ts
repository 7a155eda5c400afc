import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { AuthService } from "../../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import type { IdentityVerifier } from "../../auth/identity-token.ts";
import { rejectToken } from "../../auth/jwt.ts";
import type { ViewerTokens } from "../../auth/viewer-token.ts";
import { VIEWER_TOKEN_LIFETIME } from "../../auth/viewer-token-key.ts";
import type { Store } from "../../storage/contract/store.ts";
import { type DeliveryService, implement } from "../steps/service.ts";

/** Creates the service that sign viewers in (contract: access 3). */
export function createAuthService(
  integrations: Pick<Store["signInIntegrations"], "find">,
  identities: IdentityVerifier,
  viewerTokens: ViewerTokens,
): DeliveryService {
  return implement(AuthService, {
    async exchangeToken({ vendorIdToken }, call) {
      const { projectId } = call.key;
      const { now } = call;
      const audiences = (await integrations.find(projectId))?.value.audiences ?? [];
      const { userId, expireTime: vendorExpireTime } = await identities.verify(
        vendorIdToken,
        audiences,
        now,
      );
      const latest = Math.min(now.getTime() + VIEWER_TOKEN_LIFETIME, vendorExpireTime.getTime());
      // A JWT counts whole seconds.
      const expireTime = new Date(Math.floor(latest / 1_000) * 1_000);
      // The clock skew granted to the identity token does not apply here: an expired viewer token is useless.
      if (expireTime <= now) throw rejectToken("TOKEN_EXPIRED", "the token has expired");
      const token = await viewerTokens.sign({ projectId, userId }, now, expireTime);
      return { token, expireTime: timestampFromDate(expireTime), userId };
    },
  });
}
