import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Code } from "../domain/errors.ts";
import { toErrorAnswer } from "./errors.ts";
import { malformedRequest, Refusal } from "./refusal.ts";

/** Answers what is not a request: bytes that are no HTTP/1, headers over the limit, or too slow. */
export function answerUnreadable(fault: NodeJS.ErrnoException, socket: Duplex): void {
  if (fault.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = toErrorAnswer(toRefusal(fault.code), "status");
  const lines = Object.entries({
    ...headers,
    "x-request-id": randomUUID(),
    "content-length": body.length,
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${String(body)}`);
}

function toRefusal(code: string | undefined): Refusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return headersTooLarge();
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refusal(408, Code.DEADLINE_EXCEEDED, "REQUEST_TIMEOUT", "the request is too slow");
    default:
      return malformedRequest("REQUEST_MALFORMED", "this is not an HTTP request");
  }
}

/** Creates the 431 of headers over the limit. */
export function headersTooLarge(): Refusal {
  return new Refusal(
    431,
    Code.RESOURCE_EXHAUSTED,
    "HEADERS_TOO_LARGE",
    "the headers are too large",
  );
}
