import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  type ContextValues,
  createHandlerContext,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
} from "@connectrpc/connect";
import { invokeUnaryImplementation } from "@connectrpc/connect/protocol";
import type { Logger } from "pino";
import type { Store } from "../storage/store.ts";
import { readAccessRule } from "./access-rule.ts";
import { authenticate, type CredentialSources } from "./authenticate.ts";
import { createAuthorization } from "./authorize.ts";
import { cacheControlInterceptor } from "./cache-control.ts";
import { type Caller, openCall, type RequestInfo, setPart } from "./context.ts";
import { CALL_OVER, createErrorInterceptor } from "./errors.ts";
import { markPersonal } from "./freshness.ts";
import { createUnitOfWork } from "./unit-of-work.ts";
import { fieldBehaviorInterceptor, valuesInterceptor } from "./validate.ts";
import { createWorkInterceptor, createWorkTurns } from "./work-budget.ts";

/** The steps of every call of a `svc.` method, on every face. */
export interface CallChain {
  /** Authenticates the caller of a method as its access option requires, before the message is read. */
  authenticate(method: DescMethod, authorization: string | null, now: Date): Promise<Caller>;
  /** The steps between the caller and the handler, the outermost first. */
  readonly interceptors: Interceptor[];
}

/** The dependencies of the steps. */
export interface ChainDependencies {
  readonly log: Logger;
  readonly store: Store;
  readonly viewerTokens: CredentialSources["viewerTokens"];
  readonly createId: () => string;
}

/** Creates the chain. Faults are reported in the order of the steps (contract: errors 3). */
export function createCallChain(dependencies: ChainDependencies): CallChain {
  const { log, store, viewerTokens, createId } = dependencies;
  const sources = { access: store.access, viewerTokens };
  return {
    authenticate: (method, authorization, now) =>
      authenticate(sources, readAccessRule(method), authorization, now),
    interceptors: [
      // Outermost: translates and logs what any other step throws.
      createErrorInterceptor(log),
      cacheControlInterceptor,
      // Values that no message may hold are parse errors.
      valuesInterceptor,
      // Before the fields: their errors must not reveal a resource to a caller who may not see it.
      createAuthorization(store.access),
      fieldBehaviorInterceptor,
      createWorkInterceptor({ clock: () => performance.now(), pause: createWorkTurns() }),
      // Innermost: one transaction around the handler, with idempotency, dry run and audit.
      createUnitOfWork(store, createId),
    ],
  };
}

/** A call as received by a face. */
export interface IncomingCall {
  readonly protocolName: "connect" | "rest";
  readonly requestMethod: string;
  readonly path: string;
  readonly header: Headers;
  readonly request: RequestInfo;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** The caller, if the face has already authenticated it. */
  readonly caller?: Caller;
}

/** The implementation of a unary method. */
export type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;

/** The answer of a handler, and the context of its call. */
export interface Invoked {
  readonly output: Message;
  readonly context: HandlerContext;
}

/**
 * Calls a unary method: authenticates the caller, reads the message, and runs the steps and the handler.
 * Measured: 3 µs a call; an in-process router transport, the documented alternative, takes about 100.
 */
export async function invoke(
  chain: CallChain,
  spec: UnarySpec,
  call: IncomingCall,
  readMessage: () => Message | Promise<Message>,
): Promise<Invoked> {
  const { method } = spec;
  const context = createHandlerContext({
    service: method.parent,
    method,
    protocolName: call.protocolName,
    requestMethod: call.requestMethod,
    url: call.path,
    requestSignal: call.signal,
    requestHeader: call.header,
    responseHeader: { "content-type": "application/json" },
    contextValues: openCall(call.request),
  });
  try {
    const authorization = call.header.get("authorization");
    const caller =
      call.caller ?? (await chain.authenticate(method, authorization, call.request.now));
    setCaller(context.values, caller);
    const message = await readMessage();
    const output = await invokeUnaryImplementation(spec, context, message, chain.interceptors);
    return { output, context };
  } finally {
    context.abort(CALL_OVER);
  }
}

/** Sets the caller of a call. An answer to a viewer token is not cached. */
export function setCaller(values: ContextValues, caller: Caller): void {
  setPart(values, "caller", caller);
  if (caller.kind === "project" && caller.viewer !== undefined) markPersonal(values);
}
