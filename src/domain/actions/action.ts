import {
  type Action,
  type ConnectCall,
  ConnectCallSchema,
  WebhookSchema,
} from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { blameField, invalidField } from "../errors.ts";
import { checkMemberBehavior } from "../messages/field-behavior.ts";
import { readDescribedMethod } from "./described-method.ts";

/** Throws for a URL that nothing may be sent to. */
export type CheckTarget = (url: string) => void;

/**
 * Checks what an action does. INVALID_ARGUMENT `ONEOF_REQUIRED`, `FIELD_REQUIRED`,
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
      throw invalidField(path, "ONEOF_REQUIRED", "it needs webhook or connect_call");
    default:
      kind satisfies never;
  }
}

function checkConnectCall(call: ConnectCall, path: string, checkTarget: CheckTarget): void {
  checkMemberBehavior(ConnectCallSchema, call, path);
  blameField(`${path}.base_url`, () => checkTarget(call.baseUrl));
  if (call.baseUrl.includes("?")) {
    throw invalidField(`${path}.base_url`, "TARGET_INVALID", "it must not hold a query");
  }
  const method = blameField(`${path}.method`, () =>
    readDescribedMethod(call.method, call.descriptorSet),
  );
  blameField(`${path}.request`, () => method.checkTemplate(call.request ?? {}));
}
