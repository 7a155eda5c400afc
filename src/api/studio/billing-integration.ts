import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type BillingIntegration,
  BillingIntegrationSchema,
} from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_pb.ts";
import type { BillingIntegrationService } from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
import { type BillingSecrets, rotateSecret } from "../../domain/monetization/billing-secrets.ts";
import { getRequest, getStore } from "../steps/call.ts";
import { readIfMatch, tagAnswer } from "./conditional.ts";

/** Creates the management handlers of billing integrations. */
export function createBillingIntegrationHandlers(
  createSecret: () => string,
): ServiceImpl<typeof BillingIntegrationService> {
  return {
    async getBillingIntegration({ projectId }, context) {
      const stored = await getStore(context.values).billingIntegrations.find(projectId);
      if (stored !== undefined) tagAnswer(context, stored);
      return { integration: toIntegration(projectId, stored?.value) };
    },

    async rotateBillingSecret({ projectId }, context) {
      const checkIfMatch = readIfMatch(context);
      const { now } = getRequest(context.values);
      const signingSecret = createSecret();
      const { billingIntegrations } = getStore(context.values);
      const stored = await billingIntegrations.put(projectId, (current) => {
        checkIfMatch(current);
        return rotateSecret(current?.value, signingSecret, now);
      });
      tagAnswer(context, stored);
      context.responseHeader.set("cache-control", "private, no-store");
      return { integration: toIntegration(projectId, stored.value), signingSecret };
    },
  };
}

function toIntegration(projectId: string, secrets: BillingSecrets | undefined): BillingIntegration {
  const { createTime, previous } = secrets ?? {};
  return create(BillingIntegrationSchema, {
    projectId,
    ...(createTime && { secretCreateTime: timestampFromDate(createTime) }),
    ...(previous && { previousSecretExpireTime: timestampFromDate(previous.expireTime) }),
  });
}
