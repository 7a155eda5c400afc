import { WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import type { WebhookService } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import { checkWebhook } from "../../domain/webhooks/webhook.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import type { ActionParts } from "./action.ts";
import { createResource } from "./resource.ts";

/** Creates the management handlers of webhooks. */
export function createWebhookHandlers(
  parts: ActionParts,
): Handlers<typeof WebhookService, StudioCall> {
  const { checkTarget, createSecret } = parts;
  const webhooks = createResource("webhook", WebhookSchema, parts, {
    orders: ["create_time", "update_time"],
    check: (webhook, path) => checkWebhook(webhook, path, checkTarget),
  });
  return {
    async createWebhook({ webhook, webhookId }, call) {
      const secret = createSecret();
      const created = await webhooks.create(call, webhook, webhookId, { secret });
      return { webhook: created, signingSecret: secret };
    },

    async getWebhook({ webhookId }, call) {
      return { webhook: await webhooks.get(call, webhookId) };
    },

    async listWebhooks(request, call) {
      const { values, nextPageToken } = await webhooks.list(call, request, [request.projectId]);
      return { webhooks: values, nextPageToken };
    },

    async updateWebhook({ webhookId, webhook, updateMask }, call) {
      return { webhook: await webhooks.update(call, webhookId, webhook, updateMask) };
    },

    async deleteWebhook({ webhookId }, call) {
      await webhooks.delete(call, webhookId, true);
      return {};
    },

    async rotateWebhookSecret({ webhookId }, call) {
      const secret = createSecret();
      const webhook = await webhooks.touch(call, webhookId);
      await call.store.runAdmin.replaceSecret("webhook", webhookId, secret);
      return { webhook, signingSecret: secret };
    },
  };
}
