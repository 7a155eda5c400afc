import { create, toJsonString } from "@bufbuild/protobuf";
import {
  type BillingEvent,
  BillingEventResultSchema,
  BillingEventSchema,
} from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_event_pb.ts";
import type { createBillingEvents } from "../../api/studio/billing-event.ts";
import { invalidField } from "../../domain/base/field-errors.ts";
import { FULL_JSON } from "../../domain/base/json.ts";
import { clip } from "../../domain/base/text.ts";
import { findEventState } from "../../domain/monetization/transaction-state.ts";
import { checkFieldBehavior } from "../../domain/validation/field-behavior.ts";
import { checkInput } from "../../domain/validation/input-checks.ts";
import { verifyWebhook } from "../../outbox/signature.ts";
import { isObject, readJsonBytes } from "../../protojson/read-json.ts";
import { readMessage } from "../../protojson/read-message.ts";
import type { Endpoint } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { httpError } from "../listener/rejection.ts";
import { checkJsonType, readBody } from "../listener/request-body.ts";
import { decodePercent } from "../rest/router.ts";

/** The path for the events of billing providers, followed by the project's id. */
export const BILLING_EVENTS_PATH = "/monetization/billing_events/v1/";

/**
 * Creates `POST /monetization/billing_events/v1/{project_id}`: accepts a `BillingEvent`, signed by Standard Webhooks
 * with a secret of the project. Returns 401 for an invalid signature or an unknown project, and 400 with the invalid
 * field. Returns 409 for an event that does not apply to the purchase yet, so that the provider retries. An event of an
 * unknown type returns `ignored`.
 */
export function billingEndpoint({
  listSecrets,
  receive,
}: ReturnType<typeof createBillingEvents>): Endpoint {
  return async (exchange) => {
    const { request, path, now, requestId } = exchange;
    checkJsonType(request);
    const projectId = decodePercent(path.slice(BILLING_EVENTS_PATH.length));
    if (projectId === undefined) {
      const message = "the project id in the path is not percent-encoded UTF-8";
      throw httpError.malformedRequest("PATH_MALFORMED", message);
    }
    const body = await readBody(exchange, HTTP_LIMITS.billingEventBody);
    const secrets = await listSecrets(projectId, now);
    const signed = SIGNED.map((name): [string, string] => [
      name,
      String(request.headers[name] ?? ""),
    ]);
    verifyWebhook({ secrets, headers: new Headers(signed), body, now });
    const event = readEvent(body, projectId);
    const result =
      event === undefined
        ? create(BillingEventResultSchema, { ignored: true })
        : await receive(event, { projectId, now, requestId });
    return {
      status: 200,
      headers: { "content-type": "application/json", "cache-control": "no-store" },
      body: Buffer.from(`${toJsonString(BillingEventResultSchema, result, FULL_JSON)}\n`),
    };
  };
}

const SIGNED = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/** Reads an event; undefined for an unknown type. */
function readEvent(body: Uint8Array, projectId: string): BillingEvent | undefined {
  const json = readJsonBytes(body);
  const type = isObject(json) ? json.type : undefined;
  if (typeof type === "string" && findEventState(type) === undefined) return undefined;
  const event = readMessage(BillingEventSchema, json, "") as BillingEvent;
  checkInput(BillingEventSchema, event);
  const purchase = event.data?.transaction;
  if (purchase !== undefined) {
    purchase.projectId ||= projectId;
    if (purchase.projectId !== projectId) {
      const description = `send ${JSON.stringify(clip(projectId))}, the project of the path, or omit it`;
      throw invalidField("data.transaction.project_id", "PATH_BODY_MISMATCH", description);
    }
  }
  checkFieldBehavior(BillingEventSchema, event);
  return event;
}
