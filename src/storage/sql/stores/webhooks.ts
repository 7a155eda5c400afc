import { create } from "@bufbuild/protobuf";
import { ActionSchema } from "../../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { ActionRun } from "../../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import {
  type Webhook,
  WebhookSchema,
} from "../../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import type { Sender, WebhookStore } from "../../contract/outbox.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { readDocument } from "../base/stored-document.ts";

/** The prefix of the `action_id` of a run of a webhook; ids of actions have no colon. */
const PREFIX = "webhook:";

/** Returns the `action_id` of the runs of a webhook. */
export function toSenderId(webhookId: string): string {
  return PREFIX + webhookId;
}

/** Returns the `action_id` of a run. */
export function senderOf({ actionId, webhookId }: ActionRun): string {
  return webhookId === "" ? actionId : toSenderId(webhookId);
}

/** Finds the action of an `action_id` with its secret; a webhook is the action that sends to its URL. */
export async function findSender(
  db: Db,
  projectId: string,
  senderId: string,
): Promise<Sender | undefined> {
  const isWebhook = senderId.startsWith(PREFIX);
  const [row] = await db.all(
    build
      .selectFrom(isWebhook ? "webhook" : "action")
      .select(["doc", "secret"])
      .where("id", "=", isWebhook ? senderId.slice(PREFIX.length) : senderId)
      .where("project_id", "=", projectId),
  );
  if (row === undefined) return undefined;
  const { doc, secret } = row;
  if (!isWebhook) return { value: readDocument(ActionSchema, doc), secret };
  const { id, url, disabled } = readDocument(WebhookSchema, doc);
  const kind = { case: "webhook", value: { url } } as const;
  return { value: create(ActionSchema, { id, projectId, kind }), secret, isDisabled: disabled };
}

/** The webhooks of projects, for the announcement of changes. */
export class SqlWebhookStore extends ConnectedStore implements WebhookStore {
  async list(projectId: string): Promise<readonly Webhook[]> {
    const select = build.selectFrom("webhook").select("doc").where("project_id", "=", projectId);
    const rows = await this.read.all(select.orderBy("id"));
    return rows.map(({ doc }) => readDocument(WebhookSchema, doc));
  }
}
