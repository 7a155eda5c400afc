import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { toConnectError } from "../../api/steps/errors.ts";
import type { Exchange } from "../server/exchange.ts";
import { invite } from "../server/request-body.ts";
import { toConnectRequest } from "./connect-request.ts";
import { isCompressedStream } from "./envelopes.ts";
import { RequestEnvelopes } from "./request-envelopes.ts";
import { sendStream } from "./send-stream.ts";

/**
 * Calls a streaming method: request and answer are passed on message by message. The limit is that of a
 * message, in bytes.
 */
export async function callStream(
  handler: UniversalHandler,
  exchange: Exchange,
  limit: number,
): Promise<void> {
  const { request } = exchange;
  invite(exchange);
  const isCompressed = isCompressedStream(request);
  const envelopes = new RequestEnvelopes(request, { limit, isCompressed });
  try {
    const body = translateErrors(envelopes);
    const answer = await handler(toConnectRequest(exchange, body));
    await sendStream(exchange, answer, envelopes);
  } finally {
    envelopes.stop();
  }
}

/** Translates errors, as the library hides all but its own from the caller. */
async function* translateErrors(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (cause) {
    throw toConnectError(cause);
  }
}
