import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { toConnectError } from "../../call/errors.ts";
import type { Exchange } from "../server/exchange.ts";
import { invite } from "../server/request-body.ts";
import { toContextValues, toUniversalRequest } from "./connect-request.ts";
import { isCompressedStream } from "./envelopes.ts";
import { RequestEnvelopes } from "./request-envelopes.ts";
import { sendStream } from "./send-stream.ts";

/**
 * Calls a streaming method: request and answer go through as they come, a message at a time. The limit
 * is that of a message, in bytes.
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
    const answer = await handler(toUniversalRequest(exchange, toContextValues(exchange), body));
    await sendStream(exchange, answer, envelopes);
  } finally {
    envelopes.stop();
  }
}

/** The library passes its own errors on to the caller, and hides all others. */
async function* translateErrors(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (cause) {
    throw toConnectError(cause);
  }
}
