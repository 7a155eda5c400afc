import { randomBytes } from "node:crypto";
import { createSecret, signWebhook } from "../../../src/outbox/signature.ts";
import { type HttpResponse, send } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { callStudio, type Json } from "./monetization.ts";

/** How an event is sent, where it differs from the usual. */
export interface EventSending {
  readonly projectId?: string;
  /** When the provider says that it sends it. */
  readonly time?: Date;
  /** Sent in the place of what was signed. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes a new signing secret of a project, and gives it. */
export async function rotateSecret(marquee: Marquee, projectId = "worldcup"): Promise<string> {
  const path = `billing_integrations/v1/${projectId}:rotateSecret`;
  return (await callStudio(marquee, "POST", path, {})).json.signing_secret;
}

/** A secret that nobody has. */
export const foreignSecret = () => createSecret(randomBytes);

let count = 0;

/** Signs an event and sends it as a billing provider does; text is signed and sent as it is. */
export function sendEvent(
  { url }: Marquee,
  secret: string,
  event: Json | string,
  { projectId = "worldcup", time = new Date(), body, headers }: EventSending = {},
): Promise<HttpResponse> {
  count += 1;
  const text = typeof event === "string" ? event : JSON.stringify(event);
  const signed = signWebhook({ secret, id: `msg_${count}`, time, body: text });
  return send("POST", `${url}/monetization/billing_events/v1/${projectId}`, {
    headers: { ...signed, ...headers },
    body: body ?? text,
  });
}

/** An event of a purchase that the provider knows by an id. */
export function eventOf(type: string, billingTransactionId: string, transaction?: Json): Json {
  return {
    type: `transaction.${type}`,
    timestamp: new Date().toISOString(),
    data: {
      billing_transaction_id: billingTransactionId,
      ...(transaction && { transaction }),
    },
  };
}
