import { sql } from "kysely";
import { ActionSchema } from "../../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { ActionRun } from "../../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import {
  type Webhook,
  WebhookSchema,
} from "../../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { type ActionTarget, targetOf } from "../../../domain/actions/action.ts";
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

/** Finds the action or webhook of an `action_id`. */
export async function findSender(
  db: Db,
  projectId: string,
  senderId: string,
): Promise<Sender | undefined> {
  if (senderId.startsWith(PREFIX)) {
    const [row] = await db.all(
      build
        .selectFrom("webhook")
        .select(["doc", "secret"])
        .where("id", "=", senderId.slice(PREFIX.length))
        .where("project_id", "=", projectId),
    );
    if (row === undefined) return undefined;
    const { url, disabled } = readDocument(WebhookSchema, row.doc);
    return { target: { kind: "webhook", url }, secret: row.secret, isDisabled: disabled };
  }
  const [row] = await db.all(
    build
      .selectFrom("action")
      .select(["target", "secret"])
      .select(sql<Uint8Array | null>`case when target is null then doc end`.as("doc"))
      .where("id", "=", senderId)
      .where("project_id", "=", projectId),
  );
  if (row === undefined) return undefined;
  const { doc, target, secret } = row;
  // The target of an action from before the migration 0019 is in its document alone.
  if (doc !== null) return { target: targetOf(readDocument(ActionSchema, doc)), secret };
  return { target: JSON.parse(target ?? "null") as ActionTarget | null, secret };
}

/** The webhooks of projects, for the announcement of changes. */
export class SqlWebhookStore extends ConnectedStore implements WebhookStore {
  async list(projectId: string): Promise<readonly Webhook[]> {
    const select = build.selectFrom("webhook").select("doc").where("project_id", "=", projectId);
    const rows = await this.read.all(select.orderBy("id"));
    return rows.map(({ doc }) => readDocument(WebhookSchema, doc));
  }
}
