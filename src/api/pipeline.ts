import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import type {
  ContextValues,
  Interceptor,
  MethodImplSpec,
  UnaryRequest,
  UnaryResponse,
} from "@connectrpc/connect";
import type { Logger } from "pino";
import type { Store } from "../storage/store.ts";
import { readAccessRule } from "./steps/access-rule.ts";
import { authenticate, type CredentialSources } from "./steps/authenticate.ts";
import { createAuthorization } from "./steps/authorize.ts";
import { cacheControlInterceptor } from "./steps/cache-control.ts";
import { type Caller, callerKeyOf, setPart } from "./steps/call.ts";
import { fieldBehaviorInterceptor, valuesInterceptor } from "./steps/check-input.ts";
import { CONSISTENCY_HEADER, Consistency } from "./steps/consistency-token.ts";
import { createErrorInterceptor } from "./steps/errors.ts";
import { markPersonal } from "./steps/freshness.ts";
import { createFindProjectKey } from "./steps/project-keys.ts";
import type { UnaryContext } from "./steps/unary-context.ts";
import { createUnitOfWork } from "./steps/unit-of-work.ts";
import { createWorkInterceptor, WorkTurns } from "./steps/work-turns.ts";

/** The steps of every call of a `svc.` method, on every face. */
export interface CallChain {
  /**
   * Authenticates the caller of a method as its access option requires, before the message is read, and returns when
   * it is the caller's turn; a consistency token among the headers makes the call see what it stands for. `find` may
   * return a cached caller.
   */
  authenticate(
    method: DescMethod,
    headers: CredentialHeaders,
    now: Date,
    find?: (authenticate: () => Promise<Caller>) => Promise<Caller>,
  ): Promise<Caller>;
  /** The steps between the caller and the handler, the outermost first. */
  readonly interceptors: Interceptor[];
}

/** The headers that tell who calls, and what the call must see. */
export interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly [CONSISTENCY_HEADER]?: string | readonly string[] | undefined;
}

/** The dependencies of the steps. */
export interface ChainDependencies {
  readonly log: Logger;
  readonly store: Store;
  readonly viewerTokens: CredentialSources["viewerTokens"];
  readonly createId: () => string;
  /** Announces runs of webhooks that are to be sent. */
  readonly onRuns?: () => void;
}

/** Creates the chain. Faults are reported in the order of the steps (contract: errors 3). */
export function createCallChain(dependencies: ChainDependencies): CallChain {
  const { log, store, viewerTokens, createId, onRuns } = dependencies;
  const findProjectKey = createFindProjectKey(store);
  const sources = { access: store.access, findProjectKey, viewerTokens };
  const consistency = new Consistency(store);
  const turns = new WorkTurns();
  return {
    async authenticate(method, headers, now, find = (authenticate) => authenticate()) {
      const { authorization = null, [CONSISTENCY_HEADER]: token } = headers;
      const rule = readAccessRule(method);
      const findCaller = () => find(() => authenticate(sources, rule, authorization, now));
      let caller = await findCaller();
      if (token !== undefined && (await consistency.await(String(token), caller))) {
        caller = await findCaller();
      }
      const turn = turns.begin(callerKeyOf(caller));
      if (turn !== undefined) await turn;
      return caller;
    },
    interceptors: [
      // Outermost: translates and logs what any other step throws.
      createErrorInterceptor(log),
      cacheControlInterceptor,
      // Values that no message may hold are parse errors.
      valuesInterceptor,
      // Before the fields: their errors must not reveal a resource to a caller who may not see it.
      createAuthorization(store.access),
      fieldBehaviorInterceptor,
      createWorkInterceptor({ clock: () => performance.now(), turns }),
      // Innermost: one transaction around the handler, with idempotency, dry run, audit and webhooks.
      createUnitOfWork(store, createId, onRuns),
    ],
  };
}

/** The implementation of a unary method. */
export type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;

/**
 * Calls a unary method whose caller is authenticated: runs the steps and the handler, and returns its answer.
 * Measured: 3 µs a call; an in-process router transport, the documented alternative, takes about 100.
 */
export async function invoke(
  { interceptors }: Pick<CallChain, "interceptors">,
  spec: UnarySpec,
  context: UnaryContext,
  message: Message,
): Promise<Message> {
  const answer = await composeSteps(interceptors, spec)(new Call(context, message));
  return answer.message as Message;
}

type Step = ReturnType<Interceptor>;

const COMPOSED = new WeakMap<readonly Interceptor[], WeakMap<UnarySpec, Step>>();

/** Composes the steps of a method and its handler, once for all calls. */
function composeSteps(interceptors: readonly Interceptor[], spec: UnarySpec): Step {
  let steps = COMPOSED.get(interceptors);
  if (steps === undefined) {
    steps = new WeakMap();
    COMPOSED.set(interceptors, steps);
  }
  let composed = steps.get(spec);
  if (composed === undefined) {
    composed = interceptors.reduceRight<Step>((next, step) => step(next), toHandler(spec));
    steps.set(spec, composed);
  }
  return composed;
}

/** Returns the innermost step, which calls the handler. */
function toHandler({ method, impl }: UnarySpec): Step {
  return async (request) => {
    const { context, message } = request as Call;
    return new Reply(context, create(method.output, await impl(message, context)));
  };
}

/** A call as the steps receive it; its headers are created on use. */
class Call implements UnaryRequest {
  readonly stream = false;
  readonly context: UnaryContext;
  readonly message: Message;

  constructor(context: UnaryContext, message: Message) {
    this.context = context;
    this.message = message;
  }

  get service() {
    return this.context.service;
  }

  get method() {
    return this.context.method as UnaryRequest["method"];
  }

  get requestMethod() {
    return this.context.requestMethod;
  }

  get url() {
    return this.context.url;
  }

  get signal() {
    return this.context.signal;
  }

  get contextValues() {
    return this.context.values;
  }

  get header() {
    return this.context.requestHeader;
  }
}

/** An answer as the steps return it; its headers are created on use. */
class Reply implements UnaryResponse {
  readonly stream = false;
  readonly message: Message;
  readonly #context: UnaryContext;

  constructor(context: UnaryContext, message: Message) {
    this.#context = context;
    this.message = message;
  }

  get service() {
    return this.#context.service;
  }

  get method() {
    return this.#context.method as UnaryResponse["method"];
  }

  get header() {
    return this.#context.responseHeader;
  }

  get trailer() {
    return this.#context.responseTrailer;
  }
}

/** Sets the caller of a call. An answer to a viewer token is not cached. */
export function setCaller(values: ContextValues, caller: Caller): void {
  setPart(values, "caller", caller);
  if (caller.kind === "project" && caller.viewer !== undefined) markPersonal(values);
}
