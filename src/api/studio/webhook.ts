import { WebhookService } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { StudioService } from "../steps/service.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of webhooks. */
export function createWebhookService(dependencies: StudioDependencies): StudioService {
  const { createSecret } = dependencies;
  const webhooks = new Resource("webhook", dependencies);
  return implementKind(WebhookService, webhooks, {
    async createWebhook({ webhook, webhookId }, call) {
      const secret = createSecret();
      const created = await webhooks.create(call, webhook, webhookId, { secret });
      return { webhook: created, signingSecret: secret };
    },

    async rotateWebhookSecret({ webhookId }, call) {
      const secret = createSecret();
      const webhook = await webhooks.touch(call, webhookId, { extras: [{ secret }] });
      return { webhook, signingSecret: secret };
    },
  });
}
