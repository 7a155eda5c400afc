import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { Exchange, NodeResponse } from "../server/exchange.ts";
import { HTTP_LIMITS } from "../server/limits.ts";
import { isUnread, lingerAndClose } from "../server/request-body.ts";
import { toFixedHeaders } from "../server/send.ts";
import { encodeGrpcMessage } from "./grpc.ts";
import type { RequestEnvelopes } from "./request-envelopes.ts";
import { readStreamCode } from "./stream-code.ts";

/**
 * Sends an answer as it is produced, no faster than the client reads it, and ends a request that was not
 * fully read. A client that reads nothing for too long is disconnected.
 */
export async function sendStream(
  exchange: Exchange,
  { status, header, body, trailer }: UniversalServerResponse,
  requestBody: RequestEnvelopes,
): Promise<void> {
  const { request, response } = exchange;
  const chunks = toIterator(body ?? []);
  try {
    // Handlers may set headers until the first message.
    let next = await chunks.next();
    if (response.destroyed) return;
    const headers = { ...toFixedHeaders(exchange), ...Object.fromEntries(header ?? []) };
    if (request.stream === undefined && isUnread(request)) headers.connection = "close";
    response.writeHead(status, headers);
    let last: Uint8Array | undefined;
    for (; next.done !== true; next = await chunks.next()) {
      last = next.value;
      if (!response.write(next.value)) await drained(response);
      if (response.destroyed || response.closed) return;
    }
    if (trailer !== undefined) response.addTrailers(toTrailers(trailer));
    exchange.outcome.code = readStreamCode(trailer, last);
    requestBody.stop();
    if (isUnread(request)) lingerAndClose(request, response);
    else response.end();
  } catch (cause) {
    // An answer that has begun cannot be replaced.
    if (response.headersSent) response.destroy();
    throw cause;
  } finally {
    await chunks.return?.();
  }
}

/** Returns the trailers of the library with a message that every client of gRPC decodes. */
function toTrailers(trailer: Headers): Record<string, string> {
  const message = trailer.get("grpc-message");
  return {
    ...Object.fromEntries(trailer),
    ...(message !== null && { "grpc-message": encodeGrpcMessage(decodeURIComponent(message)) }),
  };
}

function toIterator<T>(items: Iterable<T> | AsyncIterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}

/** Waits until the client has read the data written, or has disconnected. */
function drained(response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    const timer = setTimeout(() => {
      response.destroy();
      settle();
    }, HTTP_LIMITS.stallTimeout);
    response.on("drain", settle).on("close", settle);
  });
}
