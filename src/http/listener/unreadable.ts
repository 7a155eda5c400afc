import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { parseAddress } from "../../network/ip-address.ts";
import { http } from "../../network/node-http.ts";
import { logUnreadable } from "./access-log.ts";
import type { Answer, Exchange, ParseFault, RequestListener } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import {
  headersTooLarge,
  malformedRequest,
  type Refusal,
  requestTooSlow,
  urlTooLong,
} from "./refusal.ts";
import { sendAnswer } from "./send.ts";

/** What the handler of faults depends on. */
export interface FaultHandlerOptions {
  readonly log: Logger;
  /** Returns the last request of a connection. */
  readonly findLatest: (socket: Duplex) => Exchange | undefined;
  /** Returns the response to an error, in the form that the caller of a request expects. */
  readonly toErrorAnswer: (cause: unknown, exchange: Exchange | undefined) => Answer;
}

/**
 * Creates the handler of HTTP/1 parser faults. If the last request of the connection is complete, it is still answered;
 * an incomplete one is refused.
 */
export function createFaultHandler({
  log,
  findLatest,
  toErrorAnswer,
}: FaultHandlerOptions): RequestListener["onUnreadable"] {
  const refused = new WeakSet<Duplex>();
  return (fault, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    if (fault.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = toRefusal(fault);
    const latest = findLatest(socket);
    if (latest === undefined || latest.response.closed) {
      const requestId = randomUUID();
      logUnreadable(log, { requestId, status: refusal.status, remote: remoteOf(socket) });
      writeAnswer(socket, toErrorAnswer(refusal, undefined), requestId);
      const timer = setTimeout(() => socket.destroy(), HTTP_LIMITS.lingerTime);
      socket.once("close", () => clearTimeout(timer));
      return;
    }
    const { request, response } = latest;
    if (request.complete) {
      // The unreadable data follow a complete request, which is still answered.
      response.shouldKeepAlive = false;
      response.once("close", () => socket.end());
    } else {
      sendAnswer(latest, toErrorAnswer(refusal, latest));
    }
  };
}

/** Translates a fault of the HTTP/1 parser: not HTTP/1, headers over the limit, or too slow. */
function toRefusal({ code, rawPacket }: ParseFault): Refusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return isUrlTooLong(rawPacket)
        ? urlTooLong(HTTP_LIMITS.url)
        : headersTooLarge(HTTP_LIMITS.headers);
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return requestTooSlow();
    default:
      return malformedRequest("REQUEST_MALFORMED", "this is not an HTTP request");
  }
}

/** Writes a response to a connection without a request, and ends it. */
function writeAnswer(socket: Duplex, answer: Answer, requestId: string): void {
  const { status, headers, body } = answer;
  const lines = Object.entries({
    ...headers,
    "x-request-id": requestId,
    "content-length": body.length,
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n${String(body)}`,
  );
}

function isUrlTooLong(packet: Uint8Array | undefined): boolean {
  const text = Buffer.from(packet ?? []).toString("latin1");
  const [line = ""] = text.split("\r\n", 1);
  return /^[A-Z]+ \//.test(line) && line.length > HTTP_LIMITS.url;
}

function remoteOf(socket: Duplex): string | undefined {
  return "remoteAddress" in socket ? parseAddress(String(socket.remoteAddress)) : undefined;
}
