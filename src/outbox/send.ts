import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { DomainError } from "../domain/errors.ts";
import { readRetryAfter } from "./retry-after.ts";
import { checkTarget, type LocalTargets, toHost } from "./target.ts";
import { createTargetLookup, LookupError, type ResolveName, resolveName } from "./target-lookup.ts";

/** How long a request may take from its start to the end of its answer, in milliseconds. */
const TIMEOUT = 15_000;

/** How much of an answer's body is read. */
const MAX_ANSWER_BYTES = 64 * 1_024;

/** Headers that belong to the connection or say where the body ends: the sender sets them alone. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** A request to be sent. */
export interface OutgoingRequest {
  readonly url: string;
  /** Host, Content-Length and others that belong to the connection are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why a request has no answer that counts. */
export type SendFailure =
  | "TIMEOUT"
  | "CONNECTION_FAILED"
  | "TARGET_NOT_ALLOWED"
  | "REDIRECTED"
  | "TLS_FAILED"
  | "NAME_NOT_FOUND";

/** What became of a request. */
export type SendOutcome =
  | {
      readonly kind: "answered";
      /** Any status but 3xx. */
      readonly status: number;
      /** After how many seconds the receiver wants to be asked again, if it says so. */
      readonly retryAfterSeconds?: number;
    }
  | {
      readonly kind: "failed";
      readonly reason: SendFailure;
      /** More for developers; it names no address of the own network. */
      readonly detail: string;
    };

/** Sends a request by POST, once. It never throws, and follows no redirect. */
export type Send = (request: OutgoingRequest) => Promise<SendOutcome>;

/** Sends requests to whatever address users give, and lets none of them into the own network. */
export interface Sender {
  readonly send: Send;
  /** Ends what is under way, and what is sent later, as `CONNECTION_FAILED`. */
  close(): void;
}

/** How requests are sent. */
export interface SenderOptions {
  /** Whether http and hosts inside of the own network are allowed; for development. */
  readonly allowPrivateTargets: boolean;
  /** Origins that stand for origins of this machine; default: none. */
  readonly localTargets?: LocalTargets;
  /** From looking up the name to the end of the answer, in milliseconds; 15 seconds by default. */
  readonly timeout?: number;
  /** How much of an answer's body is read before the connection is cut; 64 KiB by default. */
  readonly maxAnswerBytes?: number;
  /** Finds the addresses of a name; as the machine does by default. */
  readonly resolve?: ResolveName;
}

/**
 * Creates a sender. Each request has a connection of its own, to an address that was checked after
 * the name was resolved, and goes there without a proxy, whatever the environment names. A
 * certificate must hold for the host's name.
 */
export function createSender({
  allowPrivateTargets: allowPrivate,
  localTargets: local = new Map(),
  timeout = TIMEOUT,
  maxAnswerBytes = MAX_ANSWER_BYTES,
  resolve = resolveName,
}: SenderOptions): Sender {
  const lookup = createTargetLookup(resolve, { allowPrivate });
  const closing = new AbortController();
  const running = new Set<AbortController>();

  return {
    async send({ url, headers, body }) {
      if (closing.signal.aborted) return closed();
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(timedOut(timeout)), timeout);
      running.add(ending);
      try {
        const target = checkTarget(url, { allowPrivate, local });
        const request = openRequest(target, headers, lookup);
        return await exchange(request, body, ending.signal, maxAnswerBytes);
      } catch (fault) {
        return toFailure(fault);
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

/** Begins a request on a connection that serves no other. */
function openRequest(
  target: URL,
  headers: OutgoingRequest["headers"],
  lookup: LookupFunction,
): ClientRequest {
  const host = toHost(target);
  const options = {
    method: "POST",
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())),
    ),
    lookup,
    // Makes a socket ask the look-up for all addresses.
    autoSelectFamily: true,
    insecureHTTPParser: false,
  };
  if (target.protocol === "http:") {
    return http.request(target, { ...options, agent: new http.Agent() });
  }
  return https.request(target, {
    ...options,
    agent: new https.Agent({ maxCachedSessions: 0 }),
    servername: isIP(host) === 0 ? host : "",
    // Said aloud, so that no variable of the environment can say otherwise.
    rejectUnauthorized: true,
  });
}

/** Sends the body and reads the answer to its end or limit; `signal` may say earlier what it is. */
function exchange(
  request: ClientRequest,
  body: string,
  signal: AbortSignal,
  maxAnswerBytes: number,
): Promise<SendOutcome> {
  return new Promise((resolve) => {
    let isHandshaking = false;
    let hasAnswer = false;
    // The first outcome counts; what the end of the connection brings about comes later.
    const settle = (outcome: SendOutcome) => {
      resolve(outcome);
      request.destroy();
    };
    const fail = (fault: unknown) => settle(toFailure(fault, isHandshaking));
    signal.addEventListener("abort", () => settle(signal.reason), { once: true });
    request.once("socket", (socket) => {
      socket.once("connect", () => {
        isHandshaking = request.protocol === "https:";
      });
      socket.once("secureConnect", () => {
        isHandshaking = false;
      });
    });
    request.on("error", fail);
    request.on("close", () => {
      if (!hasAnswer) fail(new Error("the connection was closed"));
    });
    request.on("response", (response) => {
      hasAnswer = true;
      const outcome = toOutcome(response);
      if (outcome.kind === "failed") return settle(outcome);
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) settle(outcome);
      });
      response.on("end", () => settle(outcome));
      response.on("error", fail);
      response.on("close", () => fail(new Error("the connection was closed")));
    });
    request.end(body);
  });
}

function toOutcome({ statusCode: status = 0, headers }: IncomingMessage): SendOutcome {
  if (status >= 300 && status < 400) return failed("REDIRECTED", `status ${status}`);
  const retryAfterSeconds = readRetryAfter(headers);
  return {
    kind: "answered",
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Names a fault by its code: the message of a socket's fault names addresses. */
function toFailure(fault: unknown, isHandshaking = false): SendOutcome {
  if (fault instanceof LookupError) return failed(fault.reason, fault.message);
  if (fault instanceof DomainError) return failed("TARGET_NOT_ALLOWED", fault.message);
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : undefined;
  const isTls = isHandshaking || /^ERR_(SSL|TLS)_/.test(code ?? "");
  return failed(isTls ? "TLS_FAILED" : "CONNECTION_FAILED", code ?? "the connection was closed");
}

function timedOut(timeout: number): SendOutcome {
  return failed("TIMEOUT", `no whole answer within ${timeout} ms`);
}

function closed(): SendOutcome {
  return failed("CONNECTION_FAILED", "the sender was closed");
}

function failed(reason: SendFailure, detail: string): SendOutcome {
  return { kind: "failed", reason, detail };
}
