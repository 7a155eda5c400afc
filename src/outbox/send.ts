import type { IncomingHttpHeaders } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import type { GuardedFetch } from "../auth/staff-provider.ts";
import { DomainError } from "../domain/base/errors.ts";
import { exchange, type Received, sendRequest } from "../network/http.ts";
import { createResolveName, type ResolveName } from "../network/resolve-name.ts";
import {
  checkTarget,
  createTargetLookup,
  type LocalTargets,
  LookupError,
  toHost,
} from "./target.ts";

/** The time limit from the resolved name of a host to the end of its response, in milliseconds. */
const TIMEOUT = 15_000;

/** Maximum number of bytes of a response body that are read. */
const MAX_RESPONSE_BYTES = 64 * 1_024;

/** An outgoing POST request. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The reasons why a request has no usable response. */
export type SendFailure =
  | "TIMEOUT"
  | "CONNECTION_FAILED"
  | "TARGET_NOT_ALLOWED"
  | "REDIRECTED"
  | "TLS_FAILED"
  | "NAME_NOT_FOUND"
  | "NAME_TIMEOUT";

/** The outcome of a request. */
export type SendOutcome =
  | {
      readonly kind: "responded";
      /** Any status but 3xx. */
      readonly status: number;
      /** The value of `Retry-After` in seconds, if sent. */
      readonly retryAfterSeconds?: number;
    }
  | {
      readonly kind: "failed";
      readonly reason: SendFailure;
      /** Details for developers; contains no IP address of the private network. */
      readonly detail: string;
    };

/** Sends a request by POST, once. Never throws and follows no redirect. */
export type Send = (request: OutgoingRequest) => Promise<SendOutcome>;

/** Sends requests to URLs chosen by users, and keeps them out of the private network. */
export interface Sender {
  readonly send: Send;
  /** Fails requests in progress, and later ones, with `CONNECTION_FAILED`. */
  close(): void;
}

/** The settings of a sender. */
export interface SenderOptions {
  /** Allows http and hosts of the private network; for development. */
  readonly allowPrivateTargets: boolean;
  /** Aliases of origins on this machine; default: none. */
  readonly localTargets?: LocalTargets;
  /** The time limit once the name is resolved, to the end of the response, in milliseconds; default 15 seconds. */
  readonly timeout?: number;
  /** The bytes of a response body read before the connection is closed; default 64 KiB. */
  readonly maxResponseBytes?: number;
  /** Resolves a host name, within a time limit of its own; default: like the operating system. */
  readonly resolve?: ResolveName;
}

/**
 * Creates a sender. Each request uses its own connection, to an IP address that was checked after name resolution,
 * and never a proxy, regardless of the environment. Certificates must match the host name.
 */
export function createSender({
  allowPrivateTargets: allowPrivate,
  localTargets: local = new Map(),
  timeout = TIMEOUT,
  maxResponseBytes = MAX_RESPONSE_BYTES,
  resolve = createResolveName(),
}: SenderOptions): Sender {
  const closing = new AbortController();
  const running = new Set<AbortController>();

  return {
    async send({ url, headers, body }) {
      if (closing.signal.aborted) return closed();
      const ending = new AbortController();
      const { signal } = ending;
      let timer: NodeJS.Timeout | undefined;
      running.add(ending);
      try {
        const target = checkTarget(url, { allowPrivate, local });
        const lookup = await createTargetLookup(toHost(target), resolve, { allowPrivate, signal });
        signal.throwIfAborted();
        const late = failed("TIMEOUT", `no complete response within ${timeout} ms`);
        timer = setTimeout(() => ending.abort(late), timeout);
        const options = { method: "POST", headers, ...connectTo(target, lookup), signal };
        return toOutcome(await exchange(target, options, body, maxResponseBytes));
      } catch (error) {
        return signal.aborted ? signal.reason : toFailure(error);
      } finally {
        clearTimeout(timer);
        running.delete(ending);
      }
    },
    close() {
      closing.abort();
      for (const ending of running) ending.abort(closed());
    },
  };
}

/** Returns the options of a connection of its own to an IP address that was checked. */
function connectTo(target: URL, lookup: LookupFunction) {
  const host = toHost(target);
  return {
    agent: false,
    lookup,
    // Makes the socket request all IP addresses from the lookup.
    autoSelectFamily: true,
    servername: isIP(host) === 0 ? host : "",
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot override it.
    rejectUnauthorized: true,
  };
}

function toOutcome({ status, headers }: Received): SendOutcome {
  if (status >= 300 && status < 400) return failed("REDIRECTED", `status ${status}`);
  const retryAfterSeconds = readRetryAfter(headers);
  return {
    kind: "responded",
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** The codes of errors of TLS and of certificates. */
const TLS_CODE = /^ERR_(?:SSL|TLS)_|^EPROTO$|CERT|^(?:INVALID|UNABLE)_/;

/** Describes an error by its code, because the messages of socket errors contain IP addresses. */
function toFailure(error: unknown): SendOutcome {
  if (error instanceof LookupError) return failed(error.reason, error.message);
  if (error instanceof DomainError) return failed("TARGET_NOT_ALLOWED", error.message);
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  const reason = TLS_CODE.test(code ?? "") ? "TLS_FAILED" : "CONNECTION_FAILED";
  return failed(reason, code ?? "the connection was closed");
}

function closed(): SendOutcome {
  return failed("CONNECTION_FAILED", "the sender was closed");
}

function failed(reason: SendFailure, detail: string): SendOutcome {
  return { kind: "failed", reason, detail };
}

/** An HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads `Retry-After` in seconds. A date is compared with the `Date` of the same response, which avoids
 * clock skew. Undefined if the header is missing or malformed.
 */
export function readRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  const [end, start] = [readDate(text), readDate(headers.date ?? "")];
  if (end === undefined || start === undefined) return undefined;
  return Math.max(0, (end - start) / 1_000);
}

function readDate(text: string): number | undefined {
  const time = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** The time for a fetch, in milliseconds. */
const FETCH_TIMEOUT = 5_000;

/**
 * Creates a function that fetches URLs that users have chosen, and keeps them out of the private network as `createSender`
 * does. It follows no redirect, and rejects a response of more than 256 KiB or after 5 seconds.
 */
export function createGuardedFetch(
  { allowPrivate }: { readonly allowPrivate: boolean },
  resolve: ResolveName = createResolveName(),
): GuardedFetch {
  return async (text, { method, headers, body }) => {
    const url = checkTarget(text, { allowPrivate });
    const signal = AbortSignal.timeout(FETCH_TIMEOUT);
    const lookup = await createTargetLookup(toHost(url), resolve, { allowPrivate, signal });
    const options = { method, headers, ...connectTo(url, lookup), signal };
    return sendRequest(
      url,
      options,
      body === undefined || body === null ? undefined : String(body),
    );
  };
}
