import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { toErrorAnswer } from "./errors.ts";
import type { ParseFault } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import {
  headersTooLarge,
  malformedRequest,
  type Refusal,
  requestTooSlow,
  urlTooLong,
} from "./refusal.ts";

/** Translates a fault of the HTTP/1 parser: not HTTP/1, headers over the limit, or too slow. */
export function toRefusal({ code, rawPacket }: ParseFault): Refusal {
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

/** Writes a refusal to a connection without a request to answer, and ends it. */
export function writeRefusal(socket: Duplex, refusal: Refusal, requestId: string): void {
  const { status, headers, body } = toErrorAnswer(refusal, "status");
  const lines = Object.entries({
    ...headers,
    "x-request-id": requestId,
    "content-length": body.length,
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${String(body)}`);
}

function isUrlTooLong(packet: Uint8Array | undefined): boolean {
  const text = Buffer.from(packet ?? []).toString("latin1");
  const [line = ""] = text.split("\r\n", 1);
  return /^[A-Z]+ \//.test(line) && line.length > HTTP_LIMITS.url;
}
