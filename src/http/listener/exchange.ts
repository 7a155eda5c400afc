import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import type { Code } from "../../domain/errors.ts";
import type { Client } from "../../network/client.ts";
import type { RequestOutcome } from "./request-metrics.ts";
import type { UnreadAnswers } from "./unread-answers.ts";

/** A request of either HTTP version; an HTTP/2 request has a stream. */
export type NodeRequest = IncomingMessage & { readonly stream?: ServerHttp2Stream };

/** A response of either HTTP version, which have the same methods in Node. */
export type NodeResponse = ServerResponse;

/** Receives the requests of a listener. */
export interface RequestListener {
  /** Receives a request of either HTTP version. */
  onRequest(request: NodeRequest, response: NodeResponse): void;
  /**
   * Receives an HTTP/1 connection on which no request, or not the rest of one, can be read; may be called
   * several times for a connection.
   */
  onUnreadable(fault: ParseFault, socket: Duplex): void;
}

/** An error of the HTTP/1 parser, as Node reports it. */
export type ParseFault = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array };

/** A whole response as bytes. Header names are in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Sent after the body, such as the status of gRPC. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** Absent in a response that is no error. */
  readonly code?: Code;
  /** Present if the same request with the same credential gets the same response. */
  readonly shared?: SharedState | undefined;
}

/** The state of a project that a response shows. */
export interface SharedState {
  readonly projectId: string;
  /** The revision of the project that was known before its data was read. */
  readonly revision: number;
  /** The longest time in the memory of a process, in seconds; absent: until a change. */
  readonly seconds?: number | undefined;
}

const REQUEST_ID = /^[A-Za-z0-9._:~/+=-]{1,128}$/;

/** The headers of a response that are for browsers. */
export type CorsHeaders = Readonly<Record<string, string>>;

/** Decides which web pages may read the responses to requests. */
export type Cors = (request: Pick<NodeRequest, "headers">, path: string) => CorsHeaders;

/** What an exchange is made with besides its request and response. */
export interface ExchangeOptions {
  readonly now: Date;
  readonly client: Client;
  readonly cors: Cors;
  readonly unread: UnreadAnswers;
  readonly outcome: RequestOutcome;
}

/** A request and the response to it. */
export class Exchange {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly method: string;
  /** The path as sent, not decoded, without the query. */
  readonly path: string;
  /** The query as sent, without its question mark; empty if there is none. */
  readonly query: string;
  /** The time of the request, the same for all of its steps. */
  readonly now: Date;
  readonly client: Client;
  /** Sends the body of the response. */
  readonly unread: UnreadAnswers;
  readonly outcome: RequestOutcome;
  /** The headers that tell the client its rate limits; absent without limits. */
  rateHeaders: Readonly<Record<string, string>> | undefined;
  /** The whole body as sent, if it was read because it arrived with the headers. */
  arrivedBody: Buffer | undefined;
  readonly #cors: Cors;
  #requestId: string | undefined;
  #corsHeaders: CorsHeaders | undefined;

  constructor(request: NodeRequest, response: NodeResponse, options: ExchangeOptions) {
    this.request = request;
    this.response = response;
    this.method = request.method ?? "GET";
    // A `URL` would normalize the target.
    const { url = "/" } = request;
    const mark = url.indexOf("?");
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.query = mark === -1 ? "" : url.slice(mark + 1);
    this.now = options.now;
    this.client = options.client;
    this.unread = options.unread;
    this.outcome = options.outcome;
    this.#cors = options.cors;
  }

  /** The request id that the client sent, if it is well-formed, or a new one: no characters that JSON escapes. */
  get requestId(): string {
    if (this.#requestId === undefined) {
      const given = this.request.headers["x-request-id"];
      const isUsable = typeof given === "string" && REQUEST_ID.test(given);
      this.#requestId = isUsable ? given : randomUUID();
    }
    return this.#requestId;
  }

  /** The headers that let web pages read the response. */
  get corsHeaders(): CorsHeaders {
    this.#corsHeaders ??= this.#cors(this.request, this.path);
    return this.#corsHeaders;
  }
}

/** Answers a request for a fixed path of the service, such as `/healthz`. */
export type Endpoint = (exchange: Exchange) => Answer | Promise<Answer>;

/** Reports whether a path has the form `/package.Service/Method`. */
export function isProcedure(path: string): boolean {
  return /^\/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\/[^/]*$/.test(path);
}
