import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Keeps the heap small under load. The npm scripts start Node with 4 MiB for new objects. V8 would let this space
 * grow to 128 MiB, which saves no time in benchmarks. Its minimum, 1 MiB, is too small: a collection every hundred
 * cached responses. V8 would also let the other spaces grow to several times their used size, with the bodies of
 * old responses.
 */
export function limitHeap(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=50");
}

/**
 * Collects all garbage and returns its memory to the system; otherwise V8 keeps the memory of the start until
 * the heap has grown.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: NonNullable<typeof gc> = runInNewContext("gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
