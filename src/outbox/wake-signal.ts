/** Wakes a worker before its next poll. */
export interface WakeSignal {
  /** Ends the current wait or, if there is none, the next one. */
  notify(): void;
  /** Waits for a notification, at most the given time; keeps no process alive. */
  wait(milliseconds: number): Promise<void>;
}

/** Creates a wake signal. */
export function createWakeSignal(): WakeSignal {
  let isNotified = false;
  let wake = () => {};
  return {
    notify() {
      isNotified = true;
      wake();
    },
    async wait(milliseconds) {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          timer.unref();
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isNotified = false;
    },
  };
}
