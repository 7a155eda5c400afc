import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createContextValues,
} from "@connectrpc/connect";
import type {
  UniversalHandler,
  UniversalServerRequest,
  UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { universalResponseToNodeResponse } from "@connectrpc/connect-node";
import { progressKey, requestKey } from "../auth/caller.ts";
import { DomainError } from "../domain/errors.ts";
import { toConnectError, toRpcCode } from "../interceptors/errors.ts";
import { allowOrigins, isPreflight, preflightHeaders } from "./cors.ts";
import { toErrorAnswer } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { toWebHeaders } from "./headers.ts";
import { bodyLimitOf, HTTP_LIMITS } from "./limits.ts";
import {
  bodyTooLarge,
  malformedRequest,
  methodNotAllowed,
  unsupportedMediaType,
} from "./refusal.ts";
import { readBody } from "./request-body.ts";
import { sendAnswer } from "./send.ts";

/** Answers the paths of one listener's Connect services: Connect, gRPC and gRPC-Web. */
export interface ConnectFace {
  /** Tells whether a method lies at the path. */
  has(path: string): boolean;
  handle(exchange: Exchange): Promise<void>;
}

/** Creates the face of the services that were registered with a router. */
export function createConnectFace(router: ConnectRouter): ConnectFace {
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return {
    has: (path) => handlers.has(path),
    async handle(exchange) {
      const handler = handlers.get(exchange.path);
      if (handler === undefined) throw new Error(`nothing lies at ${exchange.path}`);
      allowOrigins(exchange);
      if (isPreflight(exchange)) {
        const headers = preflightHeaders(handler.allowedMethods);
        sendAnswer(exchange.request, exchange.response, { status: 204, headers, body: EMPTY });
        return;
      }
      try {
        checkRequest(handler, exchange);
      } catch (refusal) {
        sendAnswer(exchange.request, exchange.response, toErrorAnswer(refusal, "connect"));
        return;
      }
      await call(handler, exchange);
    },
  };
}

const EMPTY = new Uint8Array();
const UNARY_TYPE = /^application\/(json|proto)(?:\s*;|$)/i;

function checkRequest(handler: UniversalHandler, { method, request, query }: Exchange): void {
  if (!handler.allowedMethods.includes(method)) {
    throw methodNotAllowed([...handler.allowedMethods].sort());
  }
  if (method === "GET") {
    const encoding = new URLSearchParams(query).get("encoding");
    if (encoding === "json" || encoding === "proto") return;
    throw malformedRequest("QUERY_MALFORMED", "the query must hold encoding=json and a message");
  }
  if (!handler.supportedContentType(request.headers["content-type"] ?? null)) {
    throw unsupportedMediaType("application/json or application/proto, or those of gRPC");
  }
}

async function call(handler: UniversalHandler, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const progress = { reached: false };
  const values = createContextValues();
  values.set(requestKey, { requestId: exchange.requestId, now: exchange.now });
  values.set(progressKey, progress);
  if (!isUnary(exchange)) {
    const body = request.iterator({ destroyOnReturn: false });
    const universal = await handler(toUniversal(exchange, values, body));
    await universalResponseToNodeResponse(universal, response);
    return;
  }
  const body = new UnaryBody(exchange, bodyLimitOf(handler.service));
  const universal = await handler(toUniversal(exchange, values, body));
  const bytes = await collect(universal);
  const fault = body.refusal ?? (progress.reached ? undefined : findFault(universal, bytes));
  const answer =
    fault === undefined
      ? {
          status: universal.status,
          headers: Object.fromEntries(universal.header ?? []),
          body: bytes,
        }
      : toErrorAnswer(fault, "connect");
  sendAnswer(request, response, answer);
}

function isUnary({ method, request }: Exchange): boolean {
  return method === "GET" || UNARY_TYPE.test(request.headers["content-type"] ?? "");
}

/** The body of a unary call: read whole and decompressed, when the library first asks for it. */
class UnaryBody implements AsyncIterable<Uint8Array> {
  /** Why the body was refused, if it was. */
  refusal: unknown;
  readonly #exchange: Exchange;
  readonly #limit: number;

  constructor(exchange: Exchange, limit: number) {
    this.#exchange = exchange;
    this.#limit = limit;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield await readBody(this.#exchange, this.#limit);
    } catch (refusal) {
      this.refusal = refusal;
      throw toConnectError(refusal);
    }
  }
}

function toUniversal(
  { request, response, method, path, query }: Exchange,
  contextValues: ContextValues,
  body: AsyncIterable<Uint8Array>,
): UniversalServerRequest {
  const abort = new AbortController();
  response.once("close", () => abort.abort());
  const header = toWebHeaders(request);
  if (body instanceof UnaryBody) {
    header.delete("content-encoding");
    header.delete("content-length");
  }
  return {
    httpVersion: request.httpVersion,
    method,
    // The authority is fixed: a URL made from the Host header could be malformed.
    url: `http://localhost${path}?${query}`,
    header,
    body,
    signal: abort.signal,
    contextValues,
  };
}

async function collect({ body }: UniversalServerResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/**
 * Finds what the library refused by itself, before any interceptor ran. It gives no reason, and some
 * requests that cannot be read it calls internal errors.
 */
function findFault(
  { status }: UniversalServerResponse,
  bytes: Uint8Array,
): DomainError | undefined {
  if (status === 200) return undefined;
  const error = errorFromJsonBytes(bytes, undefined, new ConnectError("unreadable", Code.Internal));
  if (error.details.length > 0) return undefined;
  if (error.code === Code.Internal) {
    return malformedRequest("REQUEST_MALFORMED", "the message cannot be read");
  }
  if (error.code === Code.ResourceExhausted) return bodyTooLarge(HTTP_LIMITS.deliveryBody);
  return new DomainError(toRpcCode(error.code), "REQUEST_MALFORMED", error.rawMessage);
}
