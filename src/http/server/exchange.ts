import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Client } from "../../network/client.ts";

/** A request of either HTTP version; one of HTTP/2 has a stream. */
export type NodeRequest = IncomingMessage & { readonly stream?: ServerHttp2Stream };

/** A response of either HTTP version: Node gives both the same methods. */
export type NodeResponse = ServerResponse;

/** A request that has an id. */
export interface Handled {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly method: string;
  /** The path as it was sent, not decoded, without the query. */
  readonly path: string;
  readonly requestId: string;
  readonly client: Client;
}

/** One request on its way, and where its answer goes. */
export interface Exchange extends Handled {
  /** The query as it was sent, without its question mark; empty if there is none. */
  readonly query: string;
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

/** Takes over the id that a request came with, or makes one. */
export function readRequestId({ headers }: NodeRequest, createId: () => string): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && REQUEST_ID.test(given) ? given : createId();
}

/** Begins an exchange: splits the address by hand and takes over or makes the request's id. */
export function beginExchange(
  request: NodeRequest,
  response: NodeResponse,
  createId: () => string,
  { now, client }: { readonly now: Date; readonly client: Client },
): Exchange {
  const requestId = readRequestId(request, createId);
  response.setHeader("x-request-id", requestId);
  return {
    request,
    response,
    method: request.method ?? "GET",
    ...splitUrl(request),
    requestId,
    now,
    client,
  };
}

/** Splits a request's address by hand: a URL would rewrite it. */
export function splitUrl({ url = "/" }: NodeRequest): { path: string; query: string } {
  const mark = url.indexOf("?");
  if (mark === -1) return { path: url, query: "" };
  return { path: url.slice(0, mark), query: url.slice(mark + 1) };
}
