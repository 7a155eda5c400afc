import {
  type DescMessage,
  type DescMethod,
  fromJsonString,
  type Message,
  type Registry,
  toJsonString,
} from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ServiceImplSpec } from "@connectrpc/connect";
import { parseTimeout, trailerMux } from "@connectrpc/connect/protocol-connect";
import { type CallChain, invoke, type UnarySpec } from "../../call/chain.ts";
import { type Caller, getPart } from "../../call/context.ts";
import { CALL_OVER, isUnforeseen } from "../../call/errors.ts";
import { divideFreshness } from "../../call/freshness.ts";
import { isManagement } from "../../domain/messages/interfaces.ts";
import { checkJsonSize } from "../../transcoding/json-size.ts";
import { chooseCoding } from "../cache/accept-encoding.ts";
import { toConditionalAnswer } from "../cache/conditional-get.ts";
import { EncodedAnswers } from "../cache/encoded-answers.ts";
import { createHotIndex, type HotIndex } from "../cache/hot-index.ts";
import {
  type FetchAnswer,
  type FreshAnswer,
  findSharedKey,
  type ResponseCache,
  toCacheKey,
} from "../cache/response-cache.ts";
import { toAbort, toIncomingCall } from "../incoming-call.ts";
import { withinTime } from "../server/deadline.ts";
import { toErrorAnswer } from "../server/errors.ts";
import type { Answer, Exchange } from "../server/exchange.ts";
import { capConnectTimeout } from "../server/headers.ts";
import { HTTP_LIMITS } from "../server/limits.ts";
import { malformedRequest, unsupportedMediaType } from "../server/refusal.ts";
import { writeJson } from "./write-json.ts";

/** Answers Connect GETs in JSON, from the cache where possible, many times as fast as the library. */
export interface ConnectGets {
  /** Returns the cached answer to a repeated request. */
  readonly findHot: HotIndex["find"];
  /** Opens a GET of a method; undefined for requests that are left to the library. */
  open(exchange: Exchange): (() => Promise<Answer>) | undefined;
}

/** The dependencies of Connect GETs. */
export interface ConnectGetOptions {
  readonly services: readonly ServiceImplSpec[];
  readonly chain: CallChain;
  /** Caches the answers to reads; absent: no caching. */
  readonly cache?: ResponseCache | undefined;
  /** The types that a `google.protobuf.Any` may hold in JSON. Default: none. */
  readonly registry?: Registry;
}

/** Creates the face of Connect GETs of `encoding=json`, in plain text. */
export function createConnectGets(options: ConnectGetOptions): ConnectGets {
  const { services, chain, cache } = options;
  const json = { ...(options.registry && { registry: options.registry }) };
  const specs = listReads(services);
  const hotIndex = cache && createHotIndex(cache);

  return {
    findHot: (request, clock) => hotIndex?.find(request, clock),

    open(exchange) {
      const spec = exchange.method === "GET" ? specs.get(exchange.path) : undefined;
      if (spec === undefined) return undefined;
      const query = new URLSearchParams(exchange.query);
      const refusal = findRefusal(query);
      if (refusal !== undefined) return async () => toErrorAnswer(refusal, "connect");
      const text = readText(query);
      if (text === undefined) return undefined;
      return () => answerInTime({ spec, text, exchange, timeout: readTimeout(exchange) });
    },
  };

  async function answerInTime(get: Get): Promise<Answer> {
    const waiting = toAbort(get.exchange);
    try {
      const found = await withinTime(get.timeout.timeoutMs, answer(get, waiting.signal));
      return toConditionalAnswer(get.exchange, found);
    } catch (cause) {
      if (isUnforeseen(cause)) throw cause;
      return toErrorAnswer(cause, "connect");
    } finally {
      // Also after the caller's timeout: it no longer waits.
      waiting.abort(CALL_OVER);
    }
  }

  /** Answers from the cache if the caller's answers are shared, otherwise by a call. */
  async function answer(get: Get, signal: AbortSignal): Promise<Answer> {
    const { method } = get.spec;
    const { request, path, now } = get.exchange;
    const coding = chooseCoding(request.headers["accept-encoding"]);
    const caller = await findCaller(method, get.exchange);
    const readMessage = once(() => parseMessage(method, get.text));
    const call: FetchAnswer = (signal) => callMethod(get, { caller, readMessage, signal });
    const key = cache && findSharedKey(caller);
    const form = key && toForm(method, readMessage);
    if (cache === undefined || key === undefined || form === undefined) {
      return new EncodedAnswers((await call(signal)).answer).in(coding);
    }
    const { projectId, revision } = key;
    const read = { projectId, path, form, coding, now, signal };
    const kept = await cache.answer(read, call);
    hotIndex?.note(request, { key: toCacheKey(read), projectId, revision });
    return kept;
  }

  /** Authenticates the caller; a public key is looked up once per revision of its project. */
  function findCaller(method: DescMethod, { request, now }: Exchange): Promise<Caller> {
    const { authorization } = request.headers;
    const authenticate = () => chain.authenticate(method, authorization ?? null, now);
    // A key found for delivery does not authenticate a caller of management.
    const isKept = cache !== undefined && !isManagement(method.parent);
    return isKept && authorization !== undefined
      ? cache.findCaller(authorization, authenticate)
      : authenticate();
  }

  /** Calls the method; a foreseen error is returned as an answer. */
  async function callMethod(
    { spec, exchange, timeout: { error } }: Get,
    { caller, readMessage, signal }: ReadCall,
  ): Promise<FreshAnswer> {
    const call = toIncomingCall(exchange, "connect", { signal, caller });
    try {
      const { output, context } = await invoke(chain, spec, call, () => {
        if (error !== undefined) throw malformed(error.rawMessage);
        return readMessage();
      });
      const { seconds } = getPart(context.values, "freshness");
      return {
        answer: {
          status: 200,
          headers: Object.fromEntries(trailerMux(context.responseHeader, context.responseTrailer)),
          body: toBytes(writeJson(spec.method.output, output, json)),
        },
        ...(seconds !== undefined && { memorySeconds: divideFreshness(seconds).memory }),
      };
    } catch (cause) {
      if (isUnforeseen(cause)) throw cause;
      return { answer: toErrorAnswer(cause, "connect") };
    }
  }

  function parseMessage({ input, parent }: DescMethod, text: string): Message {
    checkJsonSize(Buffer.from(text));
    try {
      const ignoreUnknownFields = !isManagement(parent);
      return fromJsonString<DescMessage>(input, text, { ...json, ignoreUnknownFields });
    } catch (cause) {
      throw malformed(cause instanceof Error ? cause.message : String(cause));
    }
  }

  /** Writes the message in its canonical form, in which `"10"` and `10` are equal; undefined if malformed. */
  function toForm({ input }: DescMethod, readMessage: () => Message): string | undefined {
    try {
      return toJsonString(input, readMessage(), json);
    } catch {
      return undefined;
    }
  }
}

/** A GET of a method. */
interface Get {
  readonly spec: UnarySpec;
  /** The message, in JSON. */
  readonly text: string;
  readonly exchange: Exchange;
  readonly timeout: ReturnType<typeof parseTimeout>;
}

/** The call of a GET whose caller is known. */
interface ReadCall {
  readonly caller: Caller;
  readonly readMessage: () => Message;
  readonly signal: AbortSignal;
}

/** Lists the unary methods without side effects, by path. */
function listReads(services: readonly ServiceImplSpec[]): ReadonlyMap<string, UnarySpec> {
  const reads = new Map<string, UnarySpec>();
  for (const { service, methods } of services) {
    for (const spec of Object.values(methods)) {
      const isRead = spec.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
      if (spec.kind !== "unary" || !isRead) continue;
      reads.set(`/${service.typeName}/${spec.method.name}`, spec);
    }
  }
  return reads;
}

function findRefusal(query: URLSearchParams) {
  const encoding = query.get("encoding");
  if (encoding === null) {
    return malformedRequest("QUERY_MALFORMED", "the query must hold encoding=json and a message");
  }
  const isKnown = encoding === "json" || encoding === "proto";
  return isKnown ? undefined : unsupportedMediaType("encoding must be json or proto");
}

/**
 * Reads the message's text; undefined if it is not plain JSON. Like the library, strips a byte order mark.
 */
function readText(query: URLSearchParams): string | undefined {
  const isPlain = !query.has("base64") && !query.has("compression");
  if (!isPlain || query.get("encoding") !== "json") return undefined;
  return query.get("message")?.replace(/^\uFEFF/, "") ?? "";
}

/** Reads the caller's timeout. Node joins a repeated header, which makes it malformed. */
function readTimeout({ request }: Exchange): ReturnType<typeof parseTimeout> {
  const value = request.headers["connect-timeout-ms"];
  const text = value === undefined ? null : String(value);
  return parseTimeout(capConnectTimeout(text), HTTP_LIMITS.deadline);
}

function malformed(message: string) {
  return malformedRequest("REQUEST_MALFORMED", message);
}

/** Encodes a text into its own memory: a pooled buffer would keep its whole pool alive. */
function toBytes(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Creates a value on first use. A failure is retried. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
