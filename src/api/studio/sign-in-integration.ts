import { create } from "@bufbuild/protobuf";
import {
  type SignInIntegration,
  SignInIntegrationSchema,
  SignInIntegrationService,
} from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { checkAudiences } from "../../domain/access/audiences.ts";
import type { Stored } from "../../storage/contract/document-store.ts";
import { implement, type StudioService } from "../steps/service.ts";
import { UNSET } from "../steps/studio-call.ts";

/** Creates the Studio API service of the sign-in integration (contract: sign-in 1). */
export function createSignInIntegrationService(): StudioService {
  return implement(SignInIntegrationService, {
    async getSignInIntegration({ projectId }, call) {
      const stored = await call.store.signInIntegrations.find(projectId);
      call.setETag(stored ?? UNSET);
      return { integration: stored?.value ?? create(SignInIntegrationSchema, { projectId }) };
    },

    async updateSignInIntegration({ projectId, audiences }, call) {
      const checkIfMatch = call.readIfMatch();
      checkAudiences(audiences, "audiences");
      const { signInIntegrations } = call.store;
      let before: Stored<SignInIntegration> | undefined;
      const stored = await signInIntegrations.put(projectId, (current) => {
        checkIfMatch(current ?? UNSET);
        before = current;
        return create(SignInIntegrationSchema, { projectId, audiences });
      });
      const { value: after, revision } = stored;
      if (revision !== before?.revision) {
        call.addChange({ kind: "sign_in_integration", before: before?.value, after, revision });
      }
      call.setETag(stored);
      return { integration: stored.value };
    },
  });
}
