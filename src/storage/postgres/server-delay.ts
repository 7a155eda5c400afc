/** The time without any answer after which the server is asked for one, in milliseconds. */
const SILENCE_MS = 25;

/** The time in which a server answers that works on something else, in milliseconds. */
const USUAL_MS = 10;

/** Asks the server for an answer that takes no work. */
export type Ping = () => Promise<unknown>;

/**
 * Measures for how long a server does not respond at all, which is nobody's work. While results are awaited and none
 * comes, the server is pinged: one that works on an expensive statement answers that, one that stalls does not.
 */
export class ServerDelay {
  readonly #ping: Ping;
  /** The unanswered time of all pings, in milliseconds. */
  #total = 0;
  /** When the ping in progress was sent. */
  #pinged: number | undefined;
  #waiting = 0;
  #isSilent = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(ping: Ping) {
    this.#ping = ping;
  }

  /** Runs a statement; returns its result and for how much of its time the server did not respond. */
  async measure<T>(run: () => Promise<T>): Promise<{ result: T; waited: number }> {
    const before = this.#readTotal();
    this.#waiting += 1;
    this.#timer ??= setInterval(() => this.#check(), SILENCE_MS).unref();
    try {
      const result = await run();
      return { result, waited: this.#readTotal() - before };
    } finally {
      this.#waiting -= 1;
      this.#isSilent = false;
    }
  }

  #readTotal(): number {
    return this.#total + toDelay(this.#pinged);
  }

  #check(): void {
    if (this.#waiting === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#isSilent && this.#pinged === undefined) {
      void this.#measurePing();
    }
    this.#isSilent = true;
  }

  async #measurePing(): Promise<void> {
    this.#pinged = performance.now();
    await this.#ping().catch(() => {});
    this.#total += toDelay(this.#pinged);
    this.#pinged = undefined;
  }
}

/** Returns for how much longer than usual a ping that was sent at a time takes. */
function toDelay(pinged: number | undefined): number {
  return pinged === undefined ? 0 : Math.max(0, performance.now() - pinged - USUAL_MS);
}
