import {
  type Action,
  type ConnectCall,
  ConnectCallSchema,
  WebhookSchema,
} from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { blameField, invalidField } from "../errors.ts";
import { checkMemberBehavior } from "../messages/field-behavior.ts";
import { readDescribedMethod } from "./described-method.ts";

/** Throws for a URL that requests must not be sent to. */
export type CheckTarget = (url: string) => void;

/**
 * Checks the webhook or the Connect call of an action. INVALID_ARGUMENT `ONEOF_REQUIRED`, `FIELD_REQUIRED`,
 * `METHOD_NOT_DESCRIBED`, `REQUEST_NOT_ACCEPTED` or `VARIABLE_MALFORMED`, and what `checkTarget` throws.
 */
export function checkAction({ kind }: Action, path: string, checkTarget: CheckTarget): void {
  switch (kind.case) {
    case "webhook":
      checkMemberBehavior(WebhookSchema, kind.value, `${path}.webhook`);
      blameField(`${path}.webhook.url`, () => checkTarget(kind.value.url));
      return;
    case "connectCall":
      checkConnectCall(kind.value, `${path}.connect_call`, checkTarget);
      return;
    case undefined:
      throw invalidField(path, "ONEOF_REQUIRED", "webhook or connect_call is required");
    default:
      kind satisfies never;
  }
}

/** Returns the host that an action sends to, in lower case and without port; empty for none. */
export function findActionHost({ kind }: Action): string {
  if (kind.case === undefined) return "";
  const url = URL.parse(kind.case === "webhook" ? kind.value.url : kind.value.baseUrl);
  return url?.hostname.replace(/\.+$/, "") ?? "";
}

function checkConnectCall(call: ConnectCall, path: string, checkTarget: CheckTarget): void {
  checkMemberBehavior(ConnectCallSchema, call, path);
  blameField(`${path}.base_url`, () => checkTarget(call.baseUrl));
  if (call.baseUrl.includes("?")) {
    throw invalidField(`${path}.base_url`, "TARGET_INVALID", "must not have a query");
  }
  const method = blameField(`${path}.method`, () =>
    readDescribedMethod(call.method, call.descriptorSet),
  );
  blameField(`${path}.request`, () => method.checkTemplate(call.request ?? {}));
}
