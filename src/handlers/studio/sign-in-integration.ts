import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  SignInIntegrationSchema,
  type SignInIntegrationService,
} from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { checkAudiences } from "../../domain/audiences.ts";
import type { SignInIntegrationStore } from "../../storage/store.ts";
import { readIfMatch, tagAnswer } from "../conditional.ts";

/** Creates the management handlers of the sign-in integration (SPEC Update sign-in integration). */
export function createSignInIntegrationHandlers(
  integrations: SignInIntegrationStore,
): ServiceImpl<typeof SignInIntegrationService> {
  return {
    async updateSignInIntegration({ projectId, audiences }, context) {
      const demand = readIfMatch(context);
      checkAudiences(audiences);
      const stored = await integrations.put(projectId, (current) => {
        demand(current);
        return create(SignInIntegrationSchema, { projectId, audiences });
      });
      tagAnswer(context, stored);
      return { integration: stored.value };
    },
  };
}
