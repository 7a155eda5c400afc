import { Code } from "../../domain/errors.ts";
import type { Exchange } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { Refusal } from "../listener/refusal.ts";

/**
 * Limits concurrent streaming calls, such as those that watch the server's health or explore its schema: they
 * need no credentials and have no time limit.
 */
export class StreamSlots {
  #open = 0;
  readonly #ofConnection = new WeakMap<object, number>();

  /** Takes a slot until the response is closed. Throws a Refusal: 429 `STREAMS_EXHAUSTED`. */
  take({ request, response }: Exchange): void {
    const connection = request.stream?.session ?? request.socket;
    const own = this.#ofConnection.get(connection) ?? 0;
    if (own >= HTTP_LIMITS.streamingCallsPerConnection) {
      throw exhausted(`on this connection, at most ${HTTP_LIMITS.streamingCallsPerConnection}`);
    }
    if (this.#open >= HTTP_LIMITS.streamingCalls) {
      throw exhausted(`on this server, at most ${HTTP_LIMITS.streamingCalls}`);
    }
    this.#open += 1;
    this.#ofConnection.set(connection, own + 1);
    response.once("close", () => {
      this.#open -= 1;
      this.#ofConnection.set(connection, (this.#ofConnection.get(connection) ?? 1) - 1);
    });
  }
}

function exhausted(where: string): Refusal {
  return new Refusal(
    429,
    Code.RESOURCE_EXHAUSTED,
    "STREAMS_EXHAUSTED",
    `too many streaming calls ${where} are answered at the same time; end one first`,
  );
}
