import type { ClientRequest, IncomingMessage } from "node:http";
import https from "node:https";

/**
 * Node's HTTP/1. An import of `node:http` reads all of its exports, and some of them load undici: 50 ms of each
 * start, and 13 MB of memory.
 */
export const http = process.getBuiltinModule("node:http");

/** The most bytes before a response: of informational responses, such as 103, and of empty lines, which the parser skips. */
const MOST_BYTES_BEFORE = 32 * 1_024;

/** Fails a request whose response does not begin within {@link MOST_BYTES_BEFORE}. */
export function limitBytesBefore(request: ClientRequest): void {
  request.on("socket", (socket) => {
    let size = 0;
    let hasResponse = false;
    const count = (piece: Buffer) => {
      size += piece.length;
      if (hasResponse || size <= MOST_BYTES_BEFORE) return;
      request.destroy(new Error("too many bytes before the response"));
    };
    socket.on("data", count);
    request.on("response", () => {
      hasResponse = true;
      socket.off("data", count);
    });
  });
}

/** Sends a request and reads its response, as `readResponse` does; follows no redirect. */
export function sendRequest(
  url: URL,
  options: https.RequestOptions,
  body?: string,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const sent = request(url, options);
    const onClose = () => reject(new Error("the connection was closed"));
    limitBytesBefore(sent);
    sent.on("error", reject);
    // The only event of a response that changes the protocol.
    sent.on("close", onClose);
    sent.on("response", (response) => {
      sent.off("close", onClose);
      readResponse(response).then(resolve, reject);
    });
    sent.end(body);
  });
}

/** The most bytes of a response that is read. */
const MOST_BYTES = 256 * 1_024;

/** The most pieces of a response that is read: each takes time, however small it is. */
export const MOST_PIECES = 4_096;

/** The statuses of responses that have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Reads a response to its end. Rejects more than 256 KiB or 4,096 pieces, and a status that is not from 200 to 599. */
export async function readResponse(received: IncomingMessage): Promise<Response> {
  const content = await readBody(received);
  const { statusCode: status = 0, headers } = received;
  const body = WITHOUT_BODY.has(status) ? null : content;
  return new Response(body, { status, headers: { "content-type": headers["content-type"] ?? "" } });
}

function readBody(received: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    received.on("data", (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size > MOST_BYTES || pieces.length > MOST_PIECES) {
        received.destroy(new Error("the response is too large"));
      }
    });
    received.on("error", reject);
    received.on("end", () => resolve(Buffer.concat(pieces)));
  });
}
