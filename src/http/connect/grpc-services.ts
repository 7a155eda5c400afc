import { pipeline } from "node:stream/promises";
import { create, type DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createConnectRouter,
  createHandlerContext,
  type Interceptor,
  type MethodImplSpec,
  type ServiceImpl,
  type ServiceImplSpec,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { isUnforeseen, toConnectError } from "../../api/steps/errors.ts";
import { DomainError, Code as RpcCode } from "../../domain/base/errors.ts";
import type { Exchange, HttpResponse, NodeRequest, Procedure } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { httpError, Rejection } from "../listener/rejection.ts";
import { invite } from "../listener/request-body.ts";
import { toFixedHeaders } from "../listener/send.ts";
import { lingerAndClose } from "../listener/unread-requests.ts";
import { errorFormOf, protocolOf, toErrorResponse, toStreamErrorResponse } from "./errors.ts";
import {
  checkCompression,
  checkTimeout,
  parseMessage,
  readForm,
  readMessageBytes,
  readParameters,
  readTimeout,
  type Timeout,
} from "./read-unary.ts";
import { writeMessage, writeResponse } from "./write-unary.ts";

/**
 * Serves the services of gRPC itself, such as health and reflection. They need no credentials, and are the only ones with
 * streams, which the Connect library serves.
 */
export class GrpcServices {
  readonly #services: readonly ServiceImplSpec[];
  readonly #slots: StreamSlots;
  readonly #methods: ReadonlyMap<string, MethodImplSpec>;
  #handlers: Promise<ReadonlyMap<string, UniversalHandler>> | undefined;

  constructor(services: readonly ServiceImplSpec[], slots: StreamSlots) {
    this.#services = services;
    this.#slots = slots;
    this.#methods = new Map(
      services.flatMap(({ service, methods }) =>
        Object.values(methods).map((spec) => [`/${service.typeName}/${spec.method.name}`, spec]),
      ),
    );
  }

  /** Returns the call that a POST makes; undefined for the path of another service. */
  find(exchange: Exchange): Procedure | undefined {
    const spec = this.#methods.get(exchange.path);
    if (spec?.kind !== "unary") return spec && { call: () => this.#callStream(exchange, spec) };
    const timeout = readTimeout(exchange.request);
    return { timeoutMs: timeout.timeoutMs, call: () => callUnary(exchange, spec, timeout) };
  }

  /** Responds to a call of a streaming method; undefined if the response was sent as it was made. */
  async #callStream(
    exchange: Exchange,
    { kind }: MethodImplSpec,
  ): Promise<HttpResponse | undefined> {
    const { path, request } = exchange;
    exchange.setMethod(protocolOf(request), path.slice(1));
    if (kind === "bidi_streaming" && request.stream === undefined)
      return toErrorResponse(httpError.unsupportedVersion(), "connect");
    if (!STREAM_TYPE.test(request.headers["content-type"] ?? ""))
      return toErrorResponse(httpError.unsupportedMediaType(STREAM_TYPES), "connect");
    try {
      this.#slots.take(exchange);
    } catch (cause) {
      return toStreamErrorResponse(cause, request);
    }
    invite(exchange);
    this.#handlers ??= this.#createHandlers();
    const handle = (await this.#handlers).get(path);
    const response = await handle?.({
      httpVersion: request.httpVersion,
      method: exchange.method,
      // The authority is fixed: a URL made from the Host header could be malformed.
      url: `http://localhost${path}`,
      header: toWebHeaders(request),
      // Destroying the request would lose the response.
      body: request.iterator({ destroyOnReturn: false }),
      signal: exchange.signal,
    });
    exchange.streamStart = performance.now();
    if (response !== undefined) await send(exchange, response);
    return undefined;
  }

  /** Creates the handlers on first use, because the modules of the library would prolong every start. */
  async #createHandlers(): Promise<ReadonlyMap<string, UniversalHandler>> {
    const { compressionBrotli, compressionGzip } = await import("@connectrpc/connect-node");
    const router = createConnectRouter({
      acceptCompression: [compressionGzip, compressionBrotli],
      interceptors: [explainUnreadable],
      readMaxBytes: HTTP_LIMITS.deliveryBody,
    });
    for (const { service, methods } of this.#services) {
      const handlers = Object.entries(methods).map(([name, { impl }]) => [name, impl]);
      router.service(service, Object.fromEntries(handlers) as Partial<ServiceImpl<DescService>>);
    }
    return new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  }
}

type UnarySpec = MethodImplSpec & { readonly kind: "unary" };

async function callUnary(
  exchange: Exchange,
  { method, impl }: UnarySpec,
  timeout: Timeout,
): Promise<HttpResponse> {
  const { request, path } = exchange;
  const form = readForm(exchange, readParameters(exchange));
  if (form instanceof Rejection) return toErrorResponse(form, "connect");
  exchange.setMethod(form.protocol, path.slice(1));
  try {
    checkCompression(exchange, form);
    checkTimeout(timeout);
    const bytes = await readMessageBytes(exchange, form, HTTP_LIMITS.deliveryBody);
    // As in the Delivery API, unknown fields of JSON are skipped.
    const message = parseMessage(method.input, form, bytes, { warnings: [] });
    const context = createHandlerContext({
      ...{ method, service: method.parent, protocolName: form.protocol },
      ...{ requestMethod: exchange.method, url: `http://localhost${path}` },
    });
    const response = create(method.output, await impl(message, context));
    const written = await writeMessage(method.output, response, form.codec, {});
    const result = { headers: {}, trailers: {}, message: written, isTagged: false };
    return await writeResponse(request, form, result);
  } catch (cause) {
    if (isUnforeseen(cause)) throw cause;
    return toErrorResponse(cause, errorFormOf(request));
  }
}

/**
 * Limits concurrent streaming calls, such as those that watch the server's health or explore its schema: they
 * need no credentials and have no time limit.
 */
export class StreamSlots {
  #open = 0;
  readonly #ofConnection = new WeakMap<object, number>();

  /** Takes a slot until the response is closed. Throws a Rejection: 429 `STREAMS_EXHAUSTED`. */
  take({ request, response }: Exchange): void {
    const connection = request.stream?.session ?? request.socket;
    const open = this.#ofConnection.get(connection) ?? 0;
    const { streamingCallsPerConnection, streamingCalls } = HTTP_LIMITS;
    if (open >= streamingCallsPerConnection)
      throw httpError.streamsExhausted("connection", streamingCallsPerConnection);
    if (this.#open >= streamingCalls) throw httpError.streamsExhausted("server", streamingCalls);
    this.#open += 1;
    this.#ofConnection.set(connection, open + 1);
    response.once("close", () => {
      this.#open -= 1;
      this.#ofConnection.set(connection, (this.#ofConnection.get(connection) ?? 1) - 1);
    });
  }
}

/** The content types of streams. The library also lists gRPC-Web in base64, which it cannot read. */
const STREAM_TYPE =
  /^application\/(?:connect\+(?:json|proto)|grpc(?:-web)?(?:\+(?:json|proto))?)\s*(?:;|$)/i;
const STREAM_TYPES =
  "the body must be application/connect+json, application/connect+proto or a gRPC type";

/** Converts a request's headers to web headers, with a deadline within the range of Node's timers. */
function toWebHeaders(request: NodeRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    if (Array.isArray(value)) for (const item of value) headers.append(name, item);
    else headers.set(name, value);
  }
  const { timeoutMs } = readTimeout(request);
  if (timeoutMs === HTTP_LIMITS.deadline) {
    headers.set("connect-timeout-ms", `${timeoutMs}`);
    headers.set("grpc-timeout", `${timeoutMs}m`);
  }
  return headers;
}

/** Sends a response of the library, no faster than the client reads it. */
async function send(exchange: Exchange, response: UniversalServerResponse): Promise<void> {
  const { request, response: node } = exchange;
  const { status, header = new Headers(), trailer } = response;
  async function* body() {
    for await (const chunk of response.body ?? []) {
      // The first message is made before the head is written: by then the request is read, or rejected.
      if (!node.headersSent) writeHead();
      yield chunk;
    }
  }
  const writeHead = () => {
    const headers = { ...toFixedHeaders(exchange), ...Object.fromEntries(header) };
    if (request.stream === undefined && !request.complete) headers.connection = "close";
    node.writeHead(status, headers);
  };
  try {
    await pipeline(body(), node, { end: false });
  } catch {
    // The client has gone, or the handler failed after the head was written: the sent part cannot be replaced.
    node.destroy();
    return;
  }
  if (!node.headersSent) writeHead();
  // Connect and gRPC-Web send it in the body: their streams count as OK.
  exchange.code = Number(trailer?.get("grpc-status") ?? RpcCode.OK) as RpcCode;
  if (trailer !== undefined) node.addTrailers(Object.fromEntries(trailer));
  if (!request.complete) lingerAndClose(request, node);
  else node.end();
}

/** Adds a reason to the errors of the library for a message of a stream that it cannot read. */
const explainUnreadable: Interceptor = (next) => (request) =>
  request.stream ? next({ ...request, message: readable(request.message) }) : next(request);

async function* readable<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (cause) {
    throw cause instanceof ConnectError && cause.details.length === 0 ? explain(cause) : cause;
  }
}

function explain(error: ConnectError): ConnectError {
  const { code, rawMessage } = error;
  if (code !== Code.Internal) return error;
  if (rawMessage.startsWith("received compressed")) {
    return toConnectError(new DomainError(RpcCode.INTERNAL, "COMPRESSION_UNDECLARED", rawMessage));
  }
  const message = "the message cannot be read";
  return toConnectError(new DomainError(RpcCode.INVALID_ARGUMENT, "REQUEST_MALFORMED", message));
}
