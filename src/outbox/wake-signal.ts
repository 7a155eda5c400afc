/** What somebody waits for who has nothing to do. */
export interface Bell {
  /** Ends the wait under way, or the next one. */
  ring(): void;
  /** Waits until it rings, or for so many milliseconds; keeps no process alive. */
  wait(milliseconds: number): Promise<void>;
}

/** Creates a bell. */
export function createBell(): Bell {
  let hasRung = false;
  let wake = () => {};
  return {
    ring() {
      hasRung = true;
      wake();
    },
    async wait(milliseconds) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          timer.unref();
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasRung = false;
    },
  };
}
