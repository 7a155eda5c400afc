import type { JsonObject } from "@bufbuild/protobuf";
import {
  type Action,
  type ConnectCall,
  ConnectCallSchema,
  WebhookSchema,
} from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { SourceTypeSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { ActionCondition } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { blameField, checkField, checkOneOf, invalidField } from "../base/field-errors.ts";
import { isObject } from "../base/json.ts";
import { clip } from "../base/text.ts";
import { checkMemberBehavior } from "../validation/field-behavior.ts";
import { readDescribedMethod } from "./described-method.ts";

/** Throws for a URL that requests must not be sent to. */
export type CheckTarget = (url: string) => void;

/**
 * Checks the webhook or the Connect call of an action. Throws the errors of `checkTarget`, and INVALID_ARGUMENT
 * `ONEOF_REQUIRED`, `FIELD_REQUIRED`, `METHOD_NOT_DESCRIBED`, `REQUEST_NOT_ACCEPTED` or `VARIABLE_MALFORMED`.
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
      throw invalidField(path, "ONEOF_REQUIRED", "must set webhook or connect_call");
    default:
      kind satisfies never;
  }
}

/** Where the runs of an action or webhook are sent. */
export interface ActionTarget {
  readonly kind: "connect_call" | "webhook";
  /** The URL of a webhook, or the base URL of the service that is called. */
  readonly url: string;
}

/** Returns the target of an action; null without one. */
export function targetOf({ kind }: Action): ActionTarget | null {
  if (kind.case === "webhook") return { kind: "webhook", url: kind.value.url };
  if (kind.case === "connectCall") return { kind: "connect_call", url: kind.value.baseUrl };
  return null;
}

/** Returns the host of a target, in lower case and without port; empty for none. */
export function findHost(target: ActionTarget | null): string {
  return URL.parse(target?.url ?? "")?.hostname.replace(/\.+$/, "") ?? "";
}

function checkConnectCall(call: ConnectCall, path: string, checkTarget: CheckTarget): void {
  checkMemberBehavior(ConnectCallSchema, call, path);
  blameField(`${path}.base_url`, () => checkTarget(call.baseUrl));
  const hasQuery = call.baseUrl.includes("?");
  checkField(!hasQuery, `${path}.base_url`, "TARGET_INVALID", "must not have a query");
  const method = blameField(`${path}.method`, () =>
    readDescribedMethod(call.method, call.descriptorSet),
  );
  blameField(`${path}.request`, () => method.checkTemplate(call.request ?? {}));
}

/**
 * Checks an action configuration; errors name fields below `path`. INVALID_ARGUMENT:
 * - `ACTION_NOT_FOUND`: a key is not an action by `actionExists`.
 * - `SETTINGS_INVALID`: settings are not an object.
 * - `VALUE_OUT_OF_RANGE`: a threshold is not finite.
 * - `SOURCE_TYPE_UNKNOWN`: a source type is unknown.
 */
export function checkActionConfiguration(
  configuration: JsonObject,
  conditions: readonly ActionCondition[],
  actionExists: (id: string) => boolean,
  path = "",
): void {
  for (const [id, settings] of Object.entries(configuration)) {
    const field = `${path}configuration.${id}`;
    const missing = `the project has no action '${clip(id)}'`;
    checkField(actionExists(id), field, "ACTION_NOT_FOUND", missing);
    checkField(isObject(settings), field, "SETTINGS_INVALID", "must be a JSON object");
  }
  for (const [at, condition] of conditions.entries()) {
    checkCondition(condition, `${path}conditions[${at}]`);
  }
}

function checkCondition({ confidenceThreshold, sourceTypes }: ActionCondition, path: string): void {
  const field = `${path}.confidence_threshold`;
  const isNumber = Number.isFinite(confidenceThreshold);
  checkField(isNumber, field, "VALUE_OUT_OF_RANGE", "must be a finite number");
  const known = SourceTypeSchema.values.map(({ name }) => name);
  for (const [at, name] of (sourceTypes?.types ?? []).entries()) {
    checkOneOf(name, known, `${path}.source_types.types[${at}]`, "SOURCE_TYPE_UNKNOWN");
  }
}
