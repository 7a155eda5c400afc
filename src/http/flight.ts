import type { Exchange, HttpResponse } from "./listener/exchange.ts";
import type { RequestSeries } from "./listener/request-metrics.ts";

/** Calls a method; cancelled when the signal is aborted. Without a response, the call has sent it itself. */
export type CallMethod = (signal: AbortSignal) => Promise<HttpResponse | undefined>;

/** One call that several requests wait for. */
export class Flight {
  readonly #exchange: Exchange;
  readonly #abort = new AbortController();
  readonly #response: Promise<HttpResponse | undefined>;
  readonly #onEnd: () => void;
  #waiting = 0;

  /** Calls `onEnd` when the call can no longer be joined. */
  constructor(exchange: Exchange, call: CallMethod, onEnd: () => void) {
    this.#exchange = exchange;
    this.#onEnd = onEnd;
    this.#response = call(this.#abort.signal).finally(onEnd);
  }

  /** Counts the requests equal to the request of the call. */
  get series(): RequestSeries | undefined {
    return this.#exchange.series;
  }

  /** Waits for the response; the call is canceled when the last waiting request ends. */
  join(signal: AbortSignal): Promise<HttpResponse | undefined> {
    this.#waiting += 1;
    if (signal.aborted) this.#leave(signal);
    else signal.addEventListener("abort", () => this.#leave(signal), { once: true });
    return this.#response;
  }

  #leave({ reason }: AbortSignal): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#onEnd();
    this.#abort.abort(reason);
  }
}
