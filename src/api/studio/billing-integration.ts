import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type BillingIntegration,
  BillingIntegrationSchema,
} from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_pb.ts";
import { BillingIntegrationService } from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
import { type BillingSecrets, rotateSecret } from "../../domain/monetization/billing-secrets.ts";
import { implement, type StudioService } from "../steps/service.ts";
import { UNSET } from "../steps/studio-call.ts";
import type { StudioDependencies } from "./resource.ts";

/** Creates the Studio API service of billing integrations. */
export function createBillingIntegrationService({
  createSecret,
}: StudioDependencies): StudioService {
  return implement(BillingIntegrationService, {
    async getBillingIntegration({ projectId }, call) {
      const stored = await call.store.billingIntegrations.find(projectId);
      call.setETag(stored ?? UNSET);
      return { integration: toIntegration(projectId, stored?.value) };
    },

    async rotateBillingSecret({ projectId }, call) {
      const checkIfMatch = call.readIfMatch();
      const { now } = call;
      const signingSecret = createSecret();
      const { billingIntegrations } = call.store;
      const stored = await billingIntegrations.put(projectId, (current) => {
        checkIfMatch(current ?? UNSET);
        return rotateSecret(current?.value, signingSecret, now);
      });
      call.setETag(stored);
      call.setHeader("cache-control", "private, no-store");
      return { integration: toIntegration(projectId, stored.value), signingSecret };
    },
  });
}

function toIntegration(projectId: string, secrets: BillingSecrets | undefined): BillingIntegration {
  const { createTime, previous } = secrets ?? {};
  return create(BillingIntegrationSchema, {
    projectId,
    ...(createTime && { secretCreateTime: timestampFromDate(createTime) }),
    ...(previous && { previousSecretExpireTime: timestampFromDate(previous.expireTime) }),
  });
}
