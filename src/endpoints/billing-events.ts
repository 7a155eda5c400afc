import { create } from "@bufbuild/protobuf";
import {
  type BillingEvent,
  type BillingEventResult,
  BillingEventResultSchema,
  BillingEventSchema,
} from "../../gen/svc/studio/monetization/billing_integration/v1/billing_event_pb.ts";
import { invalidField } from "../domain/errors.ts";
import { checkFieldBehavior } from "../domain/messages/field-behavior.ts";
import { checkInput } from "../domain/messages/input-checks.ts";
import { findEventState } from "../domain/monetization/transaction-state.ts";
import type { Endpoint } from "../http/server/dispatcher.ts";
import type { Answer } from "../http/server/exchange.ts";
import { HTTP_LIMITS } from "../http/server/limits.ts";
import { malformedRequest } from "../http/server/refusal.ts";
import { checkJsonType, readBody } from "../http/server/request-body.ts";
import { verifyWebhook } from "../outbox/signature.ts";
import { writeMessage } from "../transcoding/answer.ts";
import { decodeUtf8 } from "../transcoding/decode-utf8.ts";
import { readJson } from "../transcoding/json-reader.ts";
import { isObject } from "../transcoding/json-value.ts";
import { decodePercent } from "../transcoding/percent.ts";
import { readMessage } from "../transcoding/read-message.ts";

/** What billing providers send their events to, the project's id behind it. */
export const BILLING_EVENTS_PATH = "/monetization/billing_events/v1/";

/** What becomes of billing events. */
export interface BillingEvents {
  /** Lists what the provider of a project may sign with at a time; of an unknown project, nothing. */
  listSecrets(projectId: string, now: Date): Promise<readonly string[]>;
  /** Carries out an event of a known type. */
  receive(
    event: BillingEvent,
    at: { readonly projectId: string; readonly now: Date; readonly requestId: string },
  ): Promise<BillingEventResult>;
}

/**
 * Creates `POST /monetization/billing_events/v1/{project_id}`: a `BillingEvent`, signed by Standard
 * Webhooks with a secret of the project. 401 unless the signature holds, also for an unknown project;
 * 400 names the field that is wrong; 409 where the purchase is not so far yet, so that the provider tries
 * again. An event of a type that nobody knows is answered with `ignored`, whatever else it holds.
 */
export function billingEndpoint({ listSecrets, receive }: BillingEvents): Endpoint {
  return async (exchange) => {
    const { request, path, now, requestId } = exchange;
    checkJsonType(request);
    const projectId = decodePercent(path.slice(BILLING_EVENTS_PATH.length));
    if (projectId === undefined) {
      throw malformedRequest("PATH_MALFORMED", "the path holds a broken percent escape");
    }
    const body = await readBody(exchange, HTTP_LIMITS.billingEventBody);
    const secrets = await listSecrets(projectId, now);
    verifyWebhook({ secrets, headers: readHeaders(request.headers), body, now });
    const event = readEvent(body, projectId);
    return toAnswer(
      event === undefined
        ? create(BillingEventResultSchema, { ignored: true })
        : await receive(event, { projectId, now, requestId }),
    );
  };
}

const SIGNED = ["webhook-id", "webhook-timestamp", "webhook-signature"];

function readHeaders(headers: Readonly<Record<string, unknown>>): Headers {
  return new Headers(SIGNED.map((name) => [name, String(headers[name] ?? "")]));
}

/** Reads an event; undefined: its type is not known. */
function readEvent(body: Uint8Array, projectId: string): BillingEvent | undefined {
  const json = readJson(decodeUtf8(body));
  const type = isObject(json) ? json.type : undefined;
  if (typeof type === "string" && findEventState(type) === undefined) return undefined;
  const event = readMessage(BillingEventSchema, json, "").message as BillingEvent;
  checkInput(BillingEventSchema, event);
  const purchase = event.data?.transaction;
  if (purchase !== undefined) {
    purchase.projectId ||= projectId;
    if (purchase.projectId !== projectId) {
      const description = "it is the project of the path, or left out";
      throw invalidField("data.transaction.project_id", "PATH_BODY_MISMATCH", description);
    }
  }
  checkFieldBehavior(BillingEventSchema, event);
  return event;
}

function toAnswer(result: BillingEventResult): Answer {
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: Buffer.from(writeMessage(BillingEventResultSchema, result)),
  };
}
