import { create } from "@bufbuild/protobuf";
import {
  SignInIntegrationSchema,
  type SignInIntegrationService,
} from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { checkAudiences } from "../../domain/access/audiences.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** Creates the management handlers of the sign-in integration (contract: sign-in 1). */
export function createSignInIntegrationHandlers(): Handlers<
  typeof SignInIntegrationService,
  StudioCall
> {
  return {
    async getSignInIntegration({ projectId }, call) {
      const stored = await call.store.signInIntegrations.find(projectId);
      if (stored === undefined)
        return { integration: create(SignInIntegrationSchema, { projectId }) };
      call.setEntityTag(stored);
      return { integration: stored.value };
    },

    async updateSignInIntegration({ projectId, audiences }, call) {
      const checkIfMatch = call.readIfMatch();
      checkAudiences(audiences);
      const { signInIntegrations } = call.store;
      const stored = await signInIntegrations.put(projectId, (current) => {
        checkIfMatch(current);
        return create(SignInIntegrationSchema, { projectId, audiences });
      });
      call.setEntityTag(stored);
      return { integration: stored.value };
    },
  };
}
