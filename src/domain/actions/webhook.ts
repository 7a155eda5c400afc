import {
  type Webhook,
  type WebhookEvent,
  WebhookEventSchema,
  WebhookSchema,
} from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { blameField, checkField, checkOneOf } from "../base/field-errors.ts";
import { checkTexts } from "../variables/message-texts.ts";
import type { CheckTarget } from "./action.ts";

/** Maximum number of webhooks of a project. */
export const MAX_WEBHOOKS = 20;

/**
 * Checks a webhook; errors name fields below `path`. `announced` are the kinds with announced changes, in
 * alphabetical order. Throws the errors of `checkTarget`, and INVALID_ARGUMENT `KIND_UNKNOWN`, `KQL_SYNTAX`, or
 * `VALUE_INVALID` for an unknown event.
 */
export function checkWebhook(
  webhook: Webhook,
  path: string,
  checkTarget: CheckTarget,
  announced: readonly string[],
): void {
  blameField(`${path}.url`, () => checkTarget(webhook.url));
  for (const [at, kind] of webhook.kinds.entries()) {
    checkOneOf(kind, announced, `${path}.kinds[${at}]`, "KIND_UNKNOWN");
  }
  for (const [at, event] of webhook.events.entries()) {
    const description = `must be a WebhookEvent such as WEBHOOK_EVENT_PUBLISHED, not ${event}`;
    checkField(isEvent(event), `${path}.events[${at}]`, "VALUE_INVALID", description);
  }
  checkTexts(WebhookSchema, webhook, path);
}

function isEvent(event: WebhookEvent): boolean {
  return event !== 0 && WebhookEventSchema.values.some(({ number }) => number === event);
}
