import type { NodeRequest } from "../server/exchange.ts";
import { HTTP_LIMITS } from "../server/limits.ts";
import { clientGone, requestTooSlow } from "../server/refusal.ts";
import { type EnvelopeRules, EnvelopeSplitter } from "./envelopes.ts";

/**
 * The envelopes of a streaming request, whole and one at a time, read no faster than they are consumed.
 * Throws the errors of the splitter, 408 `REQUEST_TIMEOUT` for an envelope that is not completed in time, and
 * CANCELLED `CLIENT_GONE`.
 */
export class RequestEnvelopes implements AsyncIterable<Uint8Array> {
  readonly #request: NodeRequest;
  readonly #splitter: EnvelopeSplitter;
  #isStopped = false;
  #wake = () => {};
  #partialSince: number | undefined;

  constructor(request: NodeRequest, rules: EnvelopeRules) {
    this.#request = request;
    this.#splitter = new EnvelopeSplitter(rules);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (const event of EVENTS) this.#request.on(event, this.#onEvent);
    return {
      next: () => this.#next(),
      return: async () => {
        this.stop();
        return DONE;
      },
    };
  }

  /** Ends the iteration and leaves the rest of the request unread. */
  stop(): void {
    this.#isStopped = true;
    for (const event of EVENTS) this.#request.off(event, this.#onEvent);
    this.#wake();
  }

  readonly #onEvent = () => this.#wake();

  async #next(): Promise<IteratorResult<Uint8Array>> {
    const request = this.#request;
    while (!this.#isStopped) {
      const envelope = this.#splitter.take();
      if (envelope !== undefined) {
        this.#partialSince = undefined;
        return { done: false, value: envelope };
      }
      const chunk = request.read() as Buffer | null;
      if (chunk !== null) {
        this.#splitter.push(chunk);
        continue;
      }
      if (request.aborted) throw clientGone();
      if (request.readableEnded) return this.#end();
      if (request.destroyed) throw clientGone();
      await this.#wait();
    }
    return DONE;
  }

  /** Passes a truncated envelope on: the library reports it. */
  #end(): IteratorResult<Uint8Array> {
    const { rest } = this.#splitter;
    this.stop();
    return rest.length === 0 ? DONE : { done: false, value: rest };
  }

  /** Waits for more data. A client may pause between messages for any time, but not within one. */
  async #wait(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (this.#splitter.rest.length > 0) {
      this.#partialSince ??= performance.now();
      const left = this.#partialSince + HTTP_LIMITS.requestTimeout - performance.now();
      if (left <= 0) throw requestTooSlow();
      timer = setTimeout(this.#onEvent, left);
    }
    await woken;
    clearTimeout(timer);
  }
}

const EVENTS = ["readable", "end", "close", "error"] as const;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
