import type { Action } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { Webhook } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";

/** The current action of a run; for a run of a webhook, an action with its URL. */
export interface Sender {
  readonly value: Action;
  readonly secret: string;
  /** True if a webhook is disabled. */
  readonly isDisabled?: boolean;
}

/** The webhooks of projects, for the announcement of changes. */
export interface WebhookStore {
  /** Lists all webhooks of a project by id. */
  list(projectId: string): Promise<readonly Webhook[]>;
}
