import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import type { Code } from "../../domain/errors.ts";
import type { Client } from "../../network/client.ts";
import type { RequestOutcome } from "./request-metrics.ts";
import type { UnreadAnswers } from "./unread-answers.ts";

/** A request of either HTTP version; an HTTP/2 request has a stream. */
export type NodeRequest = IncomingMessage & { readonly stream?: ServerHttp2Stream };

/** A response of either HTTP version, which have the same methods in Node. */
export type NodeResponse = ServerResponse;

/** The head of a request over HTTP/2, with the members of one over HTTP/1.1. */
export interface StreamHead {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly httpVersion: "2.0";
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** Receives the requests of a listener. */
export interface RequestListener {
  /** Receives a request of either HTTP version. */
  onRequest(request: NodeRequest, response: NodeResponse): void;
  /** Receives a stream of HTTP/2, and answers it or passes it on, perhaps later, to become a request. */
  onStream(stream: ServerHttp2Stream, head: StreamHead, pass: () => void): void;
  /**
   * Receives an HTTP/1 connection on which no request, or not the rest of one, can be read; may be called
   * several times for a connection.
   */
  onUnreadable(fault: ParseFault, socket: Duplex): void;
}

/** An error of the HTTP/1 parser, as Node reports it. */
export type ParseFault = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array };

/** A request with its id. */
export interface Handled {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly method: string;
  /** The path as sent, not decoded, without the query. */
  readonly path: string;
  /** Contains no characters that JSON escapes. */
  readonly requestId: string;
  readonly client: Client;
  /** The headers that let web pages read the answer. */
  readonly corsHeaders: Readonly<Record<string, string>>;
  /** The headers that tell the client its rate limits; absent without limits. */
  readonly rateHeaders?: Readonly<Record<string, string>> | undefined;
  /** Sends its answer. */
  readonly unread: UnreadAnswers;
  /** Absent if the request was counted before it was answered. */
  readonly outcome?: RequestOutcome;
}

/** A request and the response to it. */
export interface Exchange extends Handled {
  /** The query as sent, without its question mark; empty if there is none. */
  readonly query: string;
  /** The time of the request, the same for all of its steps. */
  readonly now: Date;
  readonly outcome: RequestOutcome;
}

/** A whole answer. Header names are in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Sent after the body, such as the status of gRPC. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** Absent in an answer that is no error. */
  readonly code?: Code;
}

const REQUEST_ID = /^[A-Za-z0-9._:~/+=-]{1,128}$/;

/** Returns the request id that the client sent, if it is well-formed, or a new one. */
export function readRequestId({ headers }: Pick<NodeRequest, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Begins an exchange. */
export function beginExchange(
  request: NodeRequest,
  response: NodeResponse,
  {
    now,
    client,
    cors,
    rateHeaders,
    unread,
    outcome,
  }: Pick<Exchange, "client" | "now" | "outcome" | "rateHeaders" | "unread"> & {
    readonly cors: (request: NodeRequest, path: string) => Readonly<Record<string, string>>;
  },
): Exchange {
  const requestId = readRequestId(request);
  const { path, query } = splitUrl(request);
  return {
    request,
    response,
    method: request.method ?? "GET",
    path,
    query,
    requestId,
    now,
    client,
    corsHeaders: cors(request, path),
    rateHeaders,
    unread,
    outcome,
  };
}

/** Splits a request's target at its question mark. A `URL` would normalize it. */
export function splitUrl({ url = "/" }: { readonly url?: string | undefined }): {
  path: string;
  query: string;
} {
  const mark = url.indexOf("?");
  if (mark === -1) return { path: url, query: "" };
  return { path: url.slice(0, mark), query: url.slice(mark + 1) };
}
