/**
 * Creates the queue of requests that have much to do: one goes on in each turn of the event loop, so that
 * whatever else arrives waits for one of them at most.
 */
export function createWorkTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const next = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(next);
    });
}
