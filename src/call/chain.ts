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

/** The way of every call of a `svc.` method, on every face. */
export interface CallChain {
  /** Finds out who calls a method, by its access option, before the message is read. */
  authenticate(method: DescMethod, authorization: string | null, now: Date): Promise<Caller>;
  /** The steps between the caller and the handler, the outermost first. */
  readonly interceptors: Interceptor[];
}

/** What the steps need. */
export interface ChainDependencies {
  readonly log: Logger;
  readonly store: Store;
  readonly viewerTokens: CredentialSources["viewerTokens"];
  readonly createId: () => string;
}

/** Creates the chain. The order of the steps is that in which faults are reported (contract: errors 3). */
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
      // Values that no message may hold are a matter of parsing.
      valuesInterceptor,
      // Before the fields: who may not know of a resource learns nothing of it from them.
      createAuthorization(store.access),
      fieldBehaviorInterceptor,
      createWorkInterceptor({ clock: () => performance.now(), pause: createWorkTurns() }),
      // Innermost: one transaction around the handler, with idempotency, dry run and audit.
      createUnitOfWork(store, createId),
    ],
  };
}

/** A call as a face received it. */
export interface IncomingCall {
  readonly protocolName: "connect" | "rest";
  readonly requestMethod: string;
  readonly path: string;
  readonly header: Headers;
  readonly request: RequestInfo;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Who calls, if a face has authenticated the caller already. */
  readonly caller?: Caller;
}

/** The implementation of a unary method. */
export type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;

/** What a handler has answered. */
export interface Invoked {
  readonly output: Message;
  readonly context: HandlerContext;
}

/**
 * Calls a unary method: authenticates the caller, reads the message, and goes through the steps to the handler.
 * Measured: 3 µs a call; an in-process router transport, the documented way, takes about 100.
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

/** Notes who calls. What is answered to a viewer is kept for nobody. */
export function setCaller(values: ContextValues, caller: Caller): void {
  setPart(values, "caller", caller);
  if (caller.kind === "project" && caller.viewer !== undefined) markPersonal(values);
}
