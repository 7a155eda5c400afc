import type { ServiceImpl } from "@connectrpc/connect";
import { WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import type { WebhookService } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import { checkWebhook } from "../../domain/webhooks/webhook.ts";
import { getStore } from "../steps/call.ts";
import type { ActionParts } from "./action.ts";
import { createResource } from "./resource.ts";

/** Creates the management handlers of webhooks. */
export function createWebhookHandlers(parts: ActionParts): ServiceImpl<typeof WebhookService> {
  const { checkTarget, createSecret } = parts;
  const webhooks = createResource("webhook", WebhookSchema, parts, {
    orders: ["create_time", "update_time"],
    check: (webhook, path) => checkWebhook(webhook, path, checkTarget),
  });
  return {
    async createWebhook({ webhook, webhookId }, context) {
      const secret = createSecret();
      const created = await webhooks.create(context, webhook, webhookId, { secret });
      return { webhook: created, signingSecret: secret };
    },

    async getWebhook({ webhookId }, context) {
      return { webhook: await webhooks.get(context, webhookId) };
    },

    async listWebhooks(request, context) {
      const { values, nextPageToken } = await webhooks.list(context, request, [request.projectId]);
      return { webhooks: values, nextPageToken };
    },

    async updateWebhook({ webhookId, webhook, updateMask }, context) {
      return { webhook: await webhooks.update(context, webhookId, webhook, updateMask) };
    },

    async deleteWebhook({ webhookId }, context) {
      await webhooks.delete(context, webhookId, true);
      return {};
    },

    async rotateWebhookSecret({ webhookId }, context) {
      const secret = createSecret();
      const webhook = await webhooks.touch(context, webhookId);
      await getStore(context.values).runAdmin.replaceSecret("webhook", webhookId, secret);
      return { webhook, signingSecret: secret };
    },
  };
}
