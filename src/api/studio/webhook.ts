import { WebhookService } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import { checkWebhook } from "../../domain/webhooks/webhook.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import type { ActionParts } from "./action.ts";
import { Resource } from "./resource.ts";
import { standardMethods } from "./standard-methods.ts";

/** Creates the management handlers of webhooks. */
export function createWebhookHandlers(
  parts: ActionParts,
): Handlers<typeof WebhookService, StudioCall> {
  const { checkTarget, createSecret } = parts;
  const webhooks = new Resource("webhook", parts, {
    check: (webhook, path) => checkWebhook(webhook, path, checkTarget),
  });
  return {
    ...standardMethods(WebhookService, webhooks),

    async createWebhook({ webhook, webhookId }, call) {
      const secret = createSecret();
      const created = await webhooks.create(call, webhook, webhookId, { secret });
      return { webhook: created, signingSecret: secret };
    },

    async rotateWebhookSecret({ webhookId }, call) {
      const secret = createSecret();
      const webhook = await webhooks.touch(call, webhookId);
      await call.store.runAdmin.replaceSecret("webhook", webhookId, secret);
      return { webhook, signingSecret: secret };
    },
  };
}
