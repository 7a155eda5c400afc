import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
/** Collects all garbage, or that of young values alone, which takes a tenth of the time. */
const collectGarbage: (options?: { readonly type: "minor" }) => void = runInNewContext("gc");

/** Returns the bytes that this process uses for values, with those that are garbage. */
function readUsed(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Returns the bytes of the values of this process that are no garbage. */
export function readLive(): number {
  collectGarbage();
  return readUsed();
}

/** Watches how many more bytes the values of this process take than at the last look without garbage. */
export class HeapWatch {
  readonly #limit: number;
  #before: number;
  #most = 0;

  /** Garbage is collected only if the values seem to take more than the limit. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#before = readLive();
  }

  /** The most that values took when it was looked at, in bytes more than before. */
  get most(): number {
    return this.#most;
  }

  /** Begins again; `isExact` measures what is used before it, otherwise it is what it was, or less. */
  begin(isExact = false): void {
    this.#most = 0;
    if (isExact) this.#before = readLive();
  }

  /** Looks at the memory. */
  look(): void {
    if (readUsed() - this.#before > this.#limit) collectGarbage({ type: "minor" });
    const used = readUsed() - this.#before;
    const grown = used > this.#limit ? readLive() - this.#before : used;
    this.#most = Math.max(this.#most, grown);
  }
}
