import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import { findPart, getPart, openCall, type RequestInfo } from "./call.ts";

/** A unary call as received by a face. */
export interface IncomingCall {
  readonly method: DescMethod;
  readonly protocolName: "connect" | "grpc" | "grpc-web" | "rest";
  readonly requestMethod: string;
  /** The path, with the query if there is one. */
  readonly url: string;
  readonly request: RequestInfo;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** The time that the client waits, in milliseconds; absent: any. */
  readonly timeoutMs?: number | undefined;
  /** Converts the headers of the request. */
  readonly readHeaders: () => Headers;
}

/**
 * The context of a unary call, as steps and handlers receive it. Web headers are expensive to create, so they
 * are created on first use: most reads need neither those of the request nor trailers.
 */
export class UnaryContext implements HandlerContext {
  readonly method: DescMethod;
  readonly protocolName: string;
  readonly requestMethod: string;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly values: ContextValues;
  readonly timeoutMs: () => number | undefined;
  readonly #readHeaders: () => Headers;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;

  constructor(call: IncomingCall) {
    const { timeoutMs } = call;
    const end = timeoutMs && Date.now() + timeoutMs;
    this.method = call.method;
    this.protocolName = call.protocolName;
    this.requestMethod = call.requestMethod;
    this.url = call.url;
    this.signal = call.signal;
    this.values = openCall(call.request);
    this.timeoutMs = () => end && end - Date.now();
    this.#readHeaders = call.readHeaders;
  }

  get service(): DescService {
    return this.method.parent;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= this.#readHeaders();
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  /**
   * The headers of the answer, by name in lower case: those that the handler has set, and those that say who
   * may keep it. Of equal names the handler's counts, but for an answer that depends on the viewer.
   */
  get answerHeaders(): Record<string, string> {
    const caching = findPart(this.values, "caching");
    if (this.#responseHeader === undefined) return { ...caching };
    const own = Object.fromEntries(this.#responseHeader);
    const { isPersonal } = getPart(this.values, "freshness");
    return isPersonal ? { ...own, ...caching } : { ...caching, ...own };
  }

  /** The trailers that the handler has set, by name in lower case. */
  get answerTrailers(): Record<string, string> {
    return this.#responseTrailer === undefined ? {} : Object.fromEntries(this.#responseTrailer);
  }
}
