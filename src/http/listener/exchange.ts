import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { RequestInfo } from "../../api/steps/incoming-call.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { withholdCredentials } from "../../domain/base/text.ts";
import type { Client, FindClient } from "../../network/client.ts";
import type { RequestMetrics, RequestProtocol, RequestSeries } from "./request-metrics.ts";
import type { UnreadResponses } from "./unread-responses.ts";

/** A request of either HTTP version; an HTTP/2 request has a stream. */
export type NodeRequest = IncomingMessage & { readonly stream?: ServerHttp2Stream };

/** A response of either HTTP version, which have the same methods in Node. */
export type NodeResponse = ServerResponse;

/** A whole response as bytes. Header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The values of its `Set-Cookie` headers; absent: none. */
  readonly cookies?: readonly string[];
  /** Sent after the body, such as the status of gRPC. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** Absent in a response that is not an error. */
  readonly code?: Code;
  /** Present if the same request with the same credential gets the same response. */
  readonly shared?: SharedState | undefined;
}

/** The state of a project that a response shows. */
export interface SharedState {
  readonly projectId: string;
  readonly organizationId: string;
  /** The revision of the project that was known before its data was read. */
  readonly revision: number;
  /** The time until which the response is true, in milliseconds since 1970; absent: until a change. */
  readonly until?: number | undefined;
}

const REQUEST_ID = /^[A-Za-z0-9._:~/+=-]{1,128}$/;

/** The headers of a response that are for browsers. */
export type CorsHeaders = Readonly<Record<string, string>>;

/** Decides which web pages may read the responses to requests. */
export type Cors = (request: Pick<NodeRequest, "headers">, path: string) => CorsHeaders;

/** Counts the requests in progress of all listeners. */
export interface ProgressCount {
  /** Counts a request. Throws `OVERLOADED` if too many others are in progress. */
  enter(exchange: Exchange): void;
  /**
   * Counts a request, and its body as decompressed, for the organization of its caller. Throws `OVERLOADED` if that has too
   * many in progress.
   */
  admit(exchange: Exchange, organizationId: string, bodyBytes: number): void;
  /** Counts a request no longer: it has its response, or waits. Reports whether it was in progress. */
  leave(exchange: Exchange): boolean;
}

/** The options that the exchanges of a listener share. */
export interface ExchangeOptions {
  readonly clock: () => Date;
  readonly findClient: FindClient;
  readonly cors: Cors;
  /** Sends the bodies of responses. */
  readonly unread: UnreadResponses;
  readonly load: ProgressCount;
  readonly requests: RequestMetrics;
}

/** A request and the response to it. */
export class Exchange implements RequestInfo {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  /** The HTTP method. It is GET for a HEAD, too: their responses differ only in the body. */
  readonly method: string;
  /** The path as sent, not decoded, without the query. */
  readonly path: string;
  /** The query as sent, without its question mark; empty if there is none. */
  readonly query: string;
  /** The time of the request, the same for all of its steps. */
  readonly now: Date;
  /** When the request arrived, by `performance.now()`. */
  readonly start = performance.now();
  /** Counts the requests for its method; undefined while that is unknown. */
  series: RequestSeries | undefined;
  /** Whether its response came from the cache; undefined if it was not asked. */
  isCached: boolean | undefined;
  /** The code of its response. */
  code: Code = Code.OK;
  /** How long it waited for another state of its response, in milliseconds. */
  waited = 0;
  /** When its stream began, by `performance.now()`; undefined without one. The time after it is the client's choice. */
  streamStart: number | undefined;
  /** The headers that report the client's rate limits; absent without limits. */
  rateHeaders: Readonly<Record<string, string>> | undefined;
  /** The whole body as sent, if it was read because it arrived with the headers. */
  arrivedBody: Buffer | undefined;
  readonly #options: ExchangeOptions;
  /** The IP address of the other end of the connection. A closed connection has none. */
  readonly #peer: string | undefined;
  #client: Client | undefined;
  #requestId: string | undefined;
  #corsHeaders: CorsHeaders | undefined;
  #abort: AbortController | undefined;

  constructor(request: NodeRequest, response: NodeResponse, options: ExchangeOptions) {
    this.request = request;
    this.response = response;
    const { method = "GET" } = request;
    this.method = method === "HEAD" ? "GET" : method;
    // A `URL` would normalize the target.
    const { url = "/" } = request;
    const mark = url.indexOf("?");
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.query = mark === -1 ? "" : url.slice(mark + 1);
    this.now = options.clock();
    this.#options = options;
    this.#peer = readPeer(request);
  }

  /** Sends the body of the response. */
  get unread(): UnreadResponses {
    return this.#options.unread;
  }

  /** Counts the request while this process works on it. */
  get load(): ProgressCount {
    return this.#options.load;
  }

  /** The path for logs and traces. */
  get shownPath(): string {
    return withholdCredentials(this.path);
  }

  /**
   * The request id that the client sent, if it is well-formed and no credential, or a new one: no characters that JSON
   * escapes.
   */
  get requestId(): string {
    if (this.#requestId === undefined) {
      const given = this.request.headers["x-request-id"];
      const isUsable =
        typeof given === "string" && REQUEST_ID.test(given) && withholdCredentials(given) === given;
      this.#requestId = isUsable ? given : randomUUID();
    }
    return this.#requestId;
  }

  /** The headers that let web pages read the response. */
  get corsHeaders(): CorsHeaders {
    this.#corsHeaders ??= this.#options.cors(this.request, this.path);
    return this.#corsHeaders;
  }

  /** The client's IP address in canonical form; empty if the connection was closed. */
  get address(): string {
    return this.#findClient().address;
  }

  /** True if the proxy headers that locate a viewer are trusted. */
  get trustsHeaders(): boolean {
    return this.#findClient().trustsHeaders;
  }

  /**
   * The token of the request: the last word of its Authorization header, which may be written in many ways, or the key
   * in its URL; undefined without one.
   */
  get credential(): string | undefined {
    const { authorization } = this.request.headers;
    if (authorization === undefined) {
      return this.query === ""
        ? undefined
        : (new URLSearchParams(this.query).get("key") ?? undefined);
    }
    const text = authorization.trimEnd();
    return text.slice(text.lastIndexOf(" ") + 1);
  }

  /** Records the method that the request calls. */
  setMethod(protocol: RequestProtocol, method: string): void {
    this.series = this.#options.requests.seriesOf(protocol, method);
  }

  /** Aborted when the client no longer waits for the response. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.response.closed) this.cancel();
      this.response.once("close", () => {
        if (!this.response.writableFinished) this.cancel();
      });
    }
    return this.#abort.signal;
  }

  /** Aborts the signal. */
  cancel(): void {
    this.#abort?.abort(new DomainError(Code.CANCELLED, "CLIENT_GONE", "the call is over"));
  }

  #findClient(): Client {
    if (this.#client === undefined) {
      const header = this.request.headers["x-forwarded-for"];
      const forwardedFor = Array.isArray(header) ? header.join() : header;
      this.#client = this.#options.findClient({ peer: this.#peer, forwardedFor });
    }
    return this.#client;
  }
}

function readPeer({ stream, socket }: NodeRequest): string | undefined {
  if (stream === undefined) return socket.remoteAddress;
  const { session } = stream;
  return session === undefined || session.destroyed ? undefined : session.socket.remoteAddress;
}

/** Serves a request for a fixed path of the service, such as `/healthz`. */
export type Endpoint = (exchange: Exchange) => HttpResponse | Promise<HttpResponse>;

/** Serves the requests of a method as a call: for a path or, if it ends with a slash, for any path directly below it. */
export interface Receiver {
  readonly method: "GET" | "POST";
  /** Returns the response; undefined if it was sent as it was made. */
  receive(exchange: Exchange): HttpResponse | Promise<HttpResponse | undefined>;
}

/** A call that a request makes. */
export interface Procedure {
  /** The time that the caller waits, in milliseconds; 0: it is over, or malformed. Absent: any. */
  readonly timeoutMs?: number | undefined;
  /** Returns the response; undefined if it was sent as it was made. Cancelled when the signal is aborted. */
  call(signal: AbortSignal): Promise<HttpResponse | undefined>;
}

/** Reports whether a path has the form `/package.Service/Method`. */
export function isProcedure(path: string): boolean {
  return /^\/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\/[^/]*$/.test(path);
}
