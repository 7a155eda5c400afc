/** Wakes a worker before its next poll. */
export class WakeSignal {
  #isNotified = false;
  #wake = () => {};

  /** Ends the current wait or, if there is none, the next one. */
  notify(): void {
    this.#isNotified = true;
    this.#wake();
  }

  /** Waits for a notification, at most the given time; does not keep the process alive. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        timer.unref();
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isNotified = false;
  }
}
