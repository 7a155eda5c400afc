import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { http } from "../../network/http.ts";
import { parseAddress } from "../../network/ip-address.ts";
import type { Exchange, HttpResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import type { ParseError } from "./listener.ts";
import { httpError, type Rejection } from "./rejection.ts";
import { sendResponse } from "./send.ts";

/** Returns the response to an error, in the form that the caller of a request expects. */
type ToResponse = (cause: unknown, exchange: Exchange | undefined) => HttpResponse;

const rejected = new WeakSet<Duplex>();

/**
 * Rejects the request of an HTTP/1 connection that cannot be read. If the last request of the connection, `exchange`, is
 * complete, it still gets its response.
 */
export function handleParseError(
  error: ParseError,
  socket: Duplex,
  exchange: Exchange | undefined,
  log: Logger,
  toResponse: ToResponse,
): void {
  if (rejected.has(socket)) return;
  rejected.add(socket);
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const rejection = toRejection(error);
  if (exchange === undefined || exchange.response.closed) {
    reject(toResponse(rejection, undefined), socket, log);
  } else if (exchange.request.complete) {
    // The unreadable data follow a complete request, which still gets its response.
    exchange.response.shouldKeepAlive = false;
    exchange.response.once("close", () => socket.end());
  } else {
    sendResponse(exchange, toResponse(rejection, exchange));
  }
}

function reject({ status, headers, body }: HttpResponse, socket: Duplex, log: Logger): void {
  const requestId = randomUUID();
  log.info({ request_id: requestId, status, remote: remoteOf(socket) }, "malformed HTTP request");
  const lines = Object.entries({
    ...headers,
    "x-request-id": requestId,
    "content-length": body.length,
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n${String(body)}`,
  );
  const timer = setTimeout(() => socket.destroy(), HTTP_LIMITS.lingerTime);
  socket.once("close", () => clearTimeout(timer));
}

/** Translates an error of the HTTP/1 parser: an unknown method, not HTTP/1, headers over the limit, or too slow. */
function toRejection({ code, rawPacket }: ParseError): Rejection {
  const [line = ""] = Buffer.from(rawPacket ?? [])
    .toString("latin1")
    .split("\r\n", 1);
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return httpError.requestTooSlow();
  if (code === "HPE_INVALID_METHOD" && REQUEST_LINE.test(line)) return httpError.unknownMethod();
  if (code === "HPE_HEADER_OVERFLOW") {
    return /^[A-Z]+ \//.test(line) && line.length > HTTP_LIMITS.url
      ? httpError.urlTooLong(HTTP_LIMITS.url)
      : httpError.headersTooLarge(HTTP_LIMITS.headers);
  }
  return httpError.malformedRequest("REQUEST_MALFORMED", "this is not an HTTP request");
}

/** The first line of a request with any method. */
const REQUEST_LINE = /^[!#$%&'*+.^`|~\w-]+ \S+ HTTP\/1\.\d$/;

function remoteOf(socket: Duplex): string | undefined {
  return "remoteAddress" in socket ? parseAddress(String(socket.remoteAddress)) : undefined;
}
