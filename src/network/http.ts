import type { IncomingMessage } from "node:http";
import https from "node:https";

/**
 * Node's HTTP/1. An import of `node:http` reads all of its exports, and some of them load undici: 50 ms of each
 * start, and 13 MB of memory.
 */
export const http = process.getBuiltinModule("node:http");

/** Sends a request and reads its response, as `readResponse` does; follows no redirect. */
export function sendRequest(
  url: URL,
  options: https.RequestOptions,
  body?: string,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const sent = request(url, options);
    sent.on("error", reject);
    sent.on("response", (response) => readResponse(response).then(resolve, reject));
    sent.end(body);
  });
}

/** The most bytes of a response that is read. */
const MOST_BYTES = 256 * 1_024;

/** The statuses of responses that have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Reads a response to its end. Rejects more than 256 KiB, and a status that is not from 200 to 599. */
export async function readResponse(received: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of received) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error("the response is too large");
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers } = received;
  const body = WITHOUT_BODY.has(status) ? null : Buffer.concat(chunks);
  return new Response(body, { status, headers: { "content-type": headers["content-type"] ?? "" } });
}
