import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { DomainError, Code as RpcCode } from "../domain/errors.ts";
import { toConnectError } from "./errors.ts";

/**
 * Refuses a message of a stream that cannot be decoded: INVALID_ARGUMENT `REQUEST_MALFORMED`. The library
 * calls it an internal error, and gives no details.
 */
export const unreadableMessagesInterceptor: Interceptor = (next) => (request) =>
  request.stream ? next({ ...request, message: translate(request.message) }) : next(request);

async function* translate<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (cause) {
    const isUndecodable =
      cause instanceof ConnectError && cause.code === Code.Internal && cause.details.length === 0;
    if (!isUndecodable) throw cause;
    throw toConnectError(
      new DomainError(RpcCode.INVALID_ARGUMENT, "REQUEST_MALFORMED", "the message cannot be read"),
    );
  }
}
