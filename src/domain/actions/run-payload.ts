import { type JsonObject, toJson } from "@bufbuild/protobuf";
import type { Action } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { FULL_JSON } from "../base/json.ts";
import { readDescribedMethod } from "./described-method.ts";
import type { RunRoom } from "./run-room.ts";

/**
 * The body that a run sends. It is built once, when the annotation is created, so that every attempt sends the same
 * bytes. The target and the signing secret are read from the action at each attempt.
 */
export type RunPayload = {
  /** The trace of the request that created the run; absent if it named none. */
  readonly trace?: TraceContext;
} & RunBody;

/** The body in the form of its action's kind. */
type RunBody =
  | { readonly kind: "webhook"; readonly body: string }
  | {
      readonly kind: "connect_call";
      /** `<package>.<Service>/<Method>`. */
      readonly method: string;
      readonly body: string;
    };

/** Returns an annotation as requests show it. */
export function toRequestJson(annotation: Annotation): JsonObject {
  return toJson(AnnotationSchema, annotation, FULL_JSON) as JsonObject;
}

/**
 * Creates the payload of an action for a new annotation, as JSON. INVALID_ARGUMENT `REQUEST_NOT_ACCEPTED`, also if there is no room for
 * it.
 */
export function createPayload(
  { kind }: Action,
  annotation: JsonObject,
  settings: JsonObject,
  { now, room }: { readonly now: Date; readonly room: RunRoom },
): RunPayload {
  const values = { annotation, settings };
  const print = (request: JsonObject) => {
    const body = JSON.stringify(request);
    room.takeBody(body);
    return body;
  };
  if (kind.case === "connectCall") {
    const { method, descriptorSet, request = {} } = kind.value;
    room.takeDescriptorBytes(descriptorSet.length);
    const described = readDescribedMethod(method, descriptorSet);
    const body = print(described.fillTemplate(request, values, room));
    return { kind: "connect_call", method, body };
  }
  const event = { type: "annotation.created", timestamp: now.toISOString(), data: values };
  return { kind: "webhook", body: print(event) };
}

/** The headers of a trace that a request belongs to (W3C Trace Context). */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Maximum length of the trace state that is passed on, set by the specification. */
const MOST_STATE = 512;

/** Reads the trace of a request; undefined if it names none or a malformed one. */
export function readTraceContext(headers: Pick<Headers, "get">): TraceContext | undefined {
  const traceparent = headers.get("traceparent") ?? "";
  if (!TRACEPARENT.test(traceparent)) return undefined;
  const tracestate = headers.get("tracestate") ?? "";
  const isSent = tracestate !== "" && tracestate.length <= MOST_STATE;
  return { traceparent, ...(isSent && { tracestate }) };
}
