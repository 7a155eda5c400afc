import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";

/** A request of either HTTP version; one of HTTP/2 has a stream. */
export type NodeRequest = IncomingMessage & { readonly stream?: ServerHttp2Stream };

/** A response of either HTTP version: Node gives both the same methods. */
export type NodeResponse = ServerResponse;

/** One request on its way, and where its answer goes. */
export interface Exchange {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly method: string;
  /** The path as it was sent, not decoded, without the query. */
  readonly path: string;
  /** The query as it was sent, without its question mark; empty if there is none. */
  readonly query: string;
  readonly requestId: string;
  /** The one time of the request. */
  readonly now: Date;
}

/** An answer that is there as a whole. Header names are in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Sent behind the body, as gRPC does with its status. */
  readonly trailers?: Readonly<Record<string, string>>;
}

const REQUEST_ID = /^[A-Za-z0-9._:~/+=-]{1,128}$/;

/** Begins an exchange: splits the address by hand and takes over or makes the request's id. */
export function beginExchange(
  request: NodeRequest,
  response: NodeResponse,
  createId: () => string,
  now: Date,
): Exchange {
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const given = request.headers["x-request-id"];
  const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : createId();
  response.setHeader("x-request-id", requestId);
  return {
    request,
    response,
    method: request.method ?? "GET",
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? "" : url.slice(mark + 1),
    requestId,
    now,
  };
}
