import type { ClientRequest, IncomingHttpHeaders } from "node:http";
import https from "node:https";

/**
 * Node's HTTP/1. An import of `node:http` reads all of its exports, and some of them load undici: 50 ms of each
 * start, and 13 MB of memory.
 */
export const http = process.getBuiltinModule("node:http");

/** The most bytes before a response: of informational responses, such as 103, and of empty lines, which the parser skips. */
const MOST_BYTES_BEFORE = 32 * 1_024;

/** Fails a request whose response does not begin within {@link MOST_BYTES_BEFORE}. */
function limitBytesBefore(request: ClientRequest): void {
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

/** A response, with its body up to a limit. */
export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer<ArrayBuffer>;
  /** True if the body is longer. */
  readonly isCut: boolean;
}

/** The most pieces of a body that are read: each takes time, however small it is. */
const MOST_PIECES = 4_096;

/** Sends a request, and reads at most some bytes of the body of its response; follows no redirect. */
export function exchange(
  url: URL,
  options: https.RequestOptions,
  body: string | undefined,
  mostBytes: number,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const sent = request(url, options);
    const onClose = () => reject(new Error("the connection was closed"));
    limitBytesBefore(sent);
    sent.on("error", reject);
    // The only event of a response that changes the protocol.
    sent.on("close", onClose);
    sent.on("response", (received) => {
      sent.off("close", onClose);
      const { statusCode: status = 0, headers } = received;
      const pieces: Buffer[] = [];
      let size = 0;
      const end = (isCut: boolean) =>
        resolve({ status, headers, body: Buffer.concat(pieces), isCut });
      received.on("data", (piece: Buffer) => {
        pieces.push(piece);
        size += piece.length;
        if (size <= mostBytes && pieces.length <= MOST_PIECES) return;
        end(true);
        received.destroy();
      });
      received.on("error", reject);
      received.on("end", () => end(false));
    });
    sent.end(body);
  });
}

/** The most bytes of a response that is fetched. */
const MOST_BYTES = 256 * 1_024;

/** The statuses of responses that have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Sends a request and reads its response to its end; follows no redirect. Rejects more than 256 KiB or 4,096 pieces, and a
 * status that is not from 200 to 599.
 */
export async function sendRequest(
  url: URL,
  options: https.RequestOptions,
  body?: string,
): Promise<Response> {
  const received = await exchange(url, options, body, MOST_BYTES);
  if (received.isCut) throw new Error("the response is too large");
  const { status, headers } = received;
  const content = WITHOUT_BODY.has(status) ? null : received.body;
  return new Response(content, {
    status,
    headers: { "content-type": headers["content-type"] ?? "" },
  });
}
