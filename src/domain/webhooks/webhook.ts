import {
  type Webhook,
  type WebhookEvent,
  WebhookEventSchema,
  WebhookSchema,
} from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import type { CheckTarget } from "../actions/action.ts";
import { checkTexts } from "../content/texts.ts";
import { blameField, Code, DomainError, invalidField } from "../errors.ts";
import type { KindName } from "../kinds.ts";
import { clip } from "../messages/clip.ts";

/** The most webhooks of a project. */
export const MAX_WEBHOOKS = 20;

/** The kinds whose changes are announced, with the collections that their surrogate keys name. */
export const ANNOUNCED_COLLECTIONS = {
  annotation: "annotations",
  banner_collection: "banner_collections",
  creative_work: "creative_works",
  entity: "entities",
  event: "events",
  offer: "offers",
  page: "pages",
  page_component: "page_components",
  video: "videos",
} as const satisfies Partial<Record<KindName, string>>;

/** A kind whose changes are announced. */
export type AnnouncedKind = keyof typeof ANNOUNCED_COLLECTIONS;

/** Reports whether the changes of a kind are announced. */
export function isAnnounced(kind: string): kind is AnnouncedKind {
  return Object.hasOwn(ANNOUNCED_COLLECTIONS, kind);
}

/**
 * Checks a webhook; errors name fields below `path`. INVALID_ARGUMENT `KIND_UNKNOWN`, `VALUE_INVALID` for an
 * unknown event, `KQL_SYNTAX`, and what `checkTarget` throws.
 */
export function checkWebhook(webhook: Webhook, path: string, checkTarget: CheckTarget): void {
  blameField(`${path}.url`, () => checkTarget(webhook.url));
  for (const [at, kind] of webhook.kinds.entries()) {
    if (isAnnounced(kind)) continue;
    const known = Object.keys(ANNOUNCED_COLLECTIONS).join(", ");
    throw invalidField(
      `${path}.kinds[${at}]`,
      "KIND_UNKNOWN",
      `'${clip(kind)}' is not one of ${known}`,
    );
  }
  for (const [at, event] of webhook.events.entries()) {
    if (isEvent(event)) continue;
    throw invalidField(`${path}.events[${at}]`, "VALUE_INVALID", `${event} is not an event`);
  }
  checkTexts(WebhookSchema, webhook, path);
}

/** Checks that a project with some other webhooks may have one more. RESOURCE_EXHAUSTED `WEBHOOK_LIMIT`. */
export function checkWebhookCount(others: number): void {
  if (others < MAX_WEBHOOKS) return;
  const message = `the project has ${others} webhooks, the most that are allowed; delete one first`;
  throw new DomainError(Code.RESOURCE_EXHAUSTED, "WEBHOOK_LIMIT", message);
}

function isEvent(event: WebhookEvent): boolean {
  return event !== 0 && WebhookEventSchema.values.some(({ number }) => number === event);
}
