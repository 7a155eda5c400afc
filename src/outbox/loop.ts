import type { Logger } from "pino";

/** The pause after a step that failed, in milliseconds. */
const FAILED_PAUSE = 1_000;

/** The options of a {@link Loop}. */
export interface LoopOptions {
  /** Runs once and returns the pause before the next run, in milliseconds; the pause can be ended by `wake`. */
  readonly step: () => Promise<number>;
  readonly log: Logger;
  /** The log line of a step that fails, such as while the database is unavailable; once until one succeeds. */
  readonly failure: string;
}

/** Repeats a step until it is closed. A step that fails, or takes long, delays no other loop. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #running: Promise<void>;
  #isClosing = false;
  #isWoken = false;
  #endPause = () => {};

  /** Starts with a step. */
  constructor(options: LoopOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Ends the current pause or, if there is none, the next one. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** Waits for the step that is running, and begins no other. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { step, log, failure } = this.#options;
    let hasFailed = false;
    while (!this.#isClosing) {
      let pause = FAILED_PAUSE;
      try {
        pause = await step();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.error({ err: error }, failure);
        hasFailed = true;
      }
      // Other tasks run between steps, also without a pause.
      if (pause <= 0) await new Promise((resolve) => setImmediate(resolve));
      else await this.#pause(pause);
    }
  }

  /** Does not keep the process alive. */
  async #pause(milliseconds: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds).unref();
        this.#endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isWoken = false;
  }
}
