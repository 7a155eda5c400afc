import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  SignInIntegrationSchema,
  type SignInIntegrationService,
} from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { checkAudiences } from "../../domain/access/audiences.ts";
import { getStore } from "../steps/call.ts";
import { readIfMatch, tagAnswer } from "./conditional.ts";

/** Creates the management handlers of the sign-in integration (contract: sign-in 1). */
export function createSignInIntegrationHandlers(): ServiceImpl<typeof SignInIntegrationService> {
  return {
    async getSignInIntegration({ projectId }, context) {
      const stored = await getStore(context.values).signInIntegrations.find(projectId);
      if (stored === undefined)
        return { integration: create(SignInIntegrationSchema, { projectId }) };
      tagAnswer(context, stored);
      return { integration: stored.value };
    },

    async updateSignInIntegration({ projectId, audiences }, context) {
      const checkIfMatch = readIfMatch(context);
      checkAudiences(audiences);
      const { signInIntegrations } = getStore(context.values);
      const stored = await signInIntegrations.put(projectId, (current) => {
        checkIfMatch(current);
        return create(SignInIntegrationSchema, { projectId, audiences });
      });
      tagAnswer(context, stored);
      return { integration: stored.value };
    },
  };
}
