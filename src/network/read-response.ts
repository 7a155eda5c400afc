import type { IncomingMessage } from "node:http";

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
