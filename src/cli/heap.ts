import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Keeps the heap small under load. The space of new objects stays at the 4 MiB with which the npm scripts start
 * Node; V8 would let it grow to 128 MiB, which saved no time in any benchmark of the service. V8's own least,
 * 1 MiB, is too small: a collection every hundred hot answers. The other spaces would grow to several times what
 * is in use before V8 collects garbage, with the bodies of answers that are garbage beside them.
 */
export function limitHeap(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}

/** The growth of the heap after which garbage is collected, in percent. */
const GROWING_PERCENT = 50;

/**
 * Collects all garbage and returns its memory to the system; V8 would keep that of the start until the heap
 * has grown.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: NonNullable<typeof gc> = runInNewContext("gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
