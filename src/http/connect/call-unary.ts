import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { CredentialHeaders, Pipeline } from "../../api/pipeline.ts";
import { authorizationOfKey } from "../../api/steps/authenticate.ts";
import { abortCall, isUnforeseen } from "../../api/steps/errors.ts";
import type { Caller, IncomingCall } from "../../api/steps/incoming-call.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { isManagement } from "../../domain/messages/interfaces.ts";
import { createCanonicalForms } from "../cache/canonical-forms.ts";
import { toConditionalAnswer } from "../cache/conditional-get.ts";
import { type EncodedAnswer, EncodedAnswers } from "../cache/encoded-answers.ts";
import { createHotIndex, type HotIndex } from "../cache/hot-index.ts";
import {
  type FreshAnswer,
  findSharedKey,
  type ResponseCache,
  toCacheKey,
} from "../cache/response-cache.ts";
import { toIncomingCall } from "../incoming-call.ts";
import { deadlinePassed, readTimeout, type Timeout, withinTime } from "../server/deadline.ts";
import { errorFormOf, toErrorAnswer } from "../server/errors.ts";
import type { Answer, Exchange } from "../server/exchange.ts";
import { malformedRequest, Refusal } from "../server/refusal.ts";
import type { RequestSeries } from "../server/request-metrics.ts";
import { type CodecOptions, toCanonicalForm, transcode, writeMessage } from "./message-codec.ts";
import { checkCompression, parseMessage, readMessageBytes } from "./read-unary.ts";
import { chooseEncoding, readForm, type UnaryForm } from "./unary-form.ts";

/** The unary calls of one listener, in all protocols. */
export interface UnaryCalls {
  /** Finds the cached answers to repeated requests; absent: no caching. */
  readonly hotIndex?: HotIndex | undefined;
  /** Returns the unary method at a path; undefined for any other path. */
  find(path: string): UnaryMethod | undefined;
  /**
   * Calls a method and returns the whole answer, from the cache where possible, within the caller's deadline
   * even if the handler ignores it.
   */
  answer(method: UnaryMethod, exchange: Exchange): Promise<Answer>;
}

/** A unary method, as served. */
export interface UnaryMethod {
  readonly method: DescMethod;
  /** True for a method without side effects, which may be called by GET. */
  readonly isRead: boolean;
}

/** The services of one listener and the dependencies of their unary calls. */
export interface UnaryCallOptions extends CodecOptions {
  readonly services: readonly DescService[];
  readonly pipeline: Pick<Pipeline, "authenticate" | "call">;
  /** Caches the answers to reads; absent: no caching. */
  readonly cache?: ResponseCache | undefined;
  /**
   * Whether a Connect POST must carry the header `connect-protocol-version: 1` (contract: delivery 2; a GET
   * needs none). Default: true.
   */
  readonly requiresProtocolVersion?: boolean;
  /** The largest request message of a service, in bytes. */
  readonly bodyLimitOf: (service: DescService) => number;
}

/** Creates the unary calls of a listener. */
export function createUnaryCalls(options: UnaryCallOptions): UnaryCalls {
  const { services, pipeline, cache, bodyLimitOf } = options;
  const { requiresProtocolVersion = true } = options;
  const json = { ...(options.registry && { registry: options.registry }) };
  const methods = new Map(listUnary(services));
  const hotIndex = cache && createHotIndex(cache);
  const canonicalForms = cache && createCanonicalForms(cache.budget.forms);

  return {
    hotIndex,

    find: (path) => methods.get(path),

    async answer(method, exchange) {
      const form = readForm(exchange);
      if (form instanceof Refusal) return toErrorAnswer(form, "connect");
      const series = exchange.outcome.setMethod(form.protocol, exchange.path.slice(1));
      const timeout = readTimeout(exchange.request, form.protocol);
      const waiting = new AbortController();
      const leave = () => abortCall(waiting);
      exchange.response.once("close", leave);
      const call: Call = { method, exchange, form, series, timeout, signal: waiting.signal };
      try {
        const answer = await withinTime(timeout.timeoutMs, answerCall(call));
        exchange.response.off("close", leave);
        return toConditionalAnswer(exchange, answer);
      } catch (cause) {
        // After the caller's timeout it no longer waits.
        leave();
        if (isUnforeseen(cause)) throw cause;
        return toErrorAnswer(cause, errorFormOf(exchange), call.incoming);
      }
    },
  };

  /** Reads the message of an authenticated caller, and answers from the cache if its answers are shared. */
  async function answerCall(call: Call): Promise<EncodedAnswer> {
    const { method, exchange, form, series, timeout } = call;
    const caller = await findCaller(method, exchange, form);
    if (requiresProtocolVersion) checkVersion(exchange, form);
    checkCompression(exchange, form);
    if (timeout.error !== undefined) throw malformed(timeout.error.rawMessage);
    if (timeout.timeoutMs === 0) throw deadlinePassed();
    const { method: desc } = method;
    const bytes = await readMessageBytes(exchange, form, bodyLimitOf(desc.parent));
    const key = cache && method.isRead ? findSharedKey(caller) : undefined;
    const readMessage = once(() => parseMessage(desc, form, bytes, json));
    const canonical =
      key &&
      canonicalForms?.find(desc, form, bytes, () =>
        toCanonicalForm(desc.input, readMessage(), json),
      );
    const encoding = chooseEncoding(form, exchange.request);
    if (cache === undefined || key === undefined || canonical === undefined) {
      return (await run(call, caller, readMessage(), call.signal)).answers.in(encoding);
    }
    const { projectId, revision } = key;
    const { now, path, request } = exchange;
    const read = { projectId, path, form: canonical, encoding, now, signal: call.signal };
    exchange.outcome.isCached = true;
    const kept = await cache.answer(read, (signal) => {
      exchange.outcome.isCached = false;
      return run(call, caller, readMessage(), signal);
    });
    const place = { key: toCacheKey(read), projectId, revision, series };
    hotIndex?.note(request, bytes, place, form);
    return kept;
  }

  /** Authenticates the caller; a public key is looked up once per revision of its project. */
  async function findCaller(
    { method }: UnaryMethod,
    { request, now }: Exchange,
    { query }: UnaryForm,
  ): Promise<Caller> {
    const headers =
      query?.keys === undefined ? request.headers : withKey(request.headers, query.keys);
    const { authorization } = headers;
    // A key found for delivery does not authenticate a caller of management.
    if (cache === undefined || authorization === undefined || isManagement(method.parent)) {
      return pipeline.authenticate(method, headers, now);
    }
    return pipeline.authenticate(method, headers, now, (authenticate) =>
      cache.findCaller(authorization, authenticate),
    );
  }

  /** Calls the method, and writes the message of its answer in the codec of the call. */
  async function run(
    call: Call,
    caller: Caller,
    message: Message,
    signal: AbortSignal,
  ): Promise<FreshAnswer> {
    const { exchange, form } = call;
    const { method, isRead } = call.method;
    const { codec } = form;
    call.incoming = toIncomingCall(exchange, method, signal);
    const response = await pipeline.call(call.incoming, caller, message);
    const { memorySeconds } = response;
    return {
      answers: new EncodedAnswers({
        headers: response.headers,
        trailers: call.incoming.responseTrailers,
        codec,
        message: writeMessage(method.output, response.message, codec, json),
        transcode: (bytes) => transcode(method.output, bytes, codec, json),
        isTagged: isRead,
      }),
      ...(memorySeconds !== undefined && { memorySeconds }),
    };
  }
}

/** One call of a method. */
interface Call {
  readonly method: UnaryMethod;
  readonly exchange: Exchange;
  readonly form: UnaryForm;
  /** Counts the requests like this one. */
  readonly series: RequestSeries;
  readonly timeout: Timeout;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** The call, once the method is called; its headers are also those of an error. */
  incoming?: IncomingCall;
}

/** Lists the unary methods of services by path. */
function listUnary(services: readonly DescService[]) {
  return services.flatMap(({ typeName, methods }) =>
    methods.map((method): [string, UnaryMethod] => [
      `/${typeName}/${method.name}`,
      { method, isRead: method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS },
    ]),
  );
}

/** Puts a public key in the URL in the place of the Authorization header. */
function withKey(headers: IncomingHttpHeaders, keys: readonly string[]): CredentialHeaders {
  return { ...headers, authorization: authorizationOfKey(keys, headers.authorization) };
}

function checkVersion({ request, method }: Exchange, { protocol }: UnaryForm): void {
  if (protocol !== "connect" || method !== "POST") return;
  if (request.headers["connect-protocol-version"] === "1") return;
  throw new DomainError(
    Code.INVALID_ARGUMENT,
    "CONNECT_PROTOCOL_VERSION_REQUIRED",
    "a POST must carry the header connect-protocol-version: 1",
  );
}

function malformed(message: string) {
  return malformedRequest("REQUEST_MALFORMED", message);
}

/** Creates a value on first use. A failure is retried. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
