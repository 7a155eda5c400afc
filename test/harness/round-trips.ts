import pg from "pg";

/** Counts the round trips of the transactions that begin with a certain statement. */
export class RoundTrips {
  /** The most responses that were waited for one after the other, since the last reset. */
  count = 0;
  readonly Client: typeof pg.Client;

  constructor(isBegin: (text: string) => boolean) {
    const trips = this;
    this.Client = class CountingClient extends pg.Client {
      #counts = false;

      override query(...args: never[]): never {
        const [query] = args as unknown[];
        const text = typeof query === "string" ? query : (query as { text?: string }).text;
        this.#counts ||= isBegin(text ?? "");
        const result = Reflect.apply(super.query, this, args) as unknown;
        if (this.#counts && result instanceof Promise) trips.#note(result);
        return result as never;
      }
    };
  }

  /** Begins to count anew. */
  reset(): void {
    this.count = 0;
    this.#received = 0;
  }

  /** The round trips that had ended when a statement was sent. */
  #received = 0;

  #note(result: Promise<unknown>): void {
    const trip = this.#received + 1;
    this.count = Math.max(this.count, trip);
    const end = () => {
      this.#received = Math.max(this.#received, trip);
    };
    result.then(end, end);
  }
}
