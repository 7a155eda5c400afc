/**
 * Writes bytes to the reader of the log and returns how many it took: 0 if it takes none now, undefined if it is
 * closed.
 */
export type Put = (bytes: Uint8Array) => number | undefined;

/** The options of a line buffer. */
export interface LineBufferOptions {
  readonly put: Put;
  /** Receives the number of dropped lines once the reader has taken all lines before them. */
  readonly onDropped: (lines: number) => void;
  /** Maximum number of bytes that wait for a slow reader; default: 8 MiB. */
  readonly maxBytes?: number;
  /** The longest time that `flushSync` waits for a slow reader, in milliseconds; default: 2,000. */
  readonly maxWait?: number;
}

const MAX_BYTES = 8 * 1_024 * 1_024;
const MAX_WAIT_MS = 2_000;

/**
 * The largest batch of several lines. Linux writes up to this many bytes to a pipe as one piece, so that processes that share
 * the pipe do not break each other's lines.
 */
const BATCH_BYTES = 4_096;

/** The longest time that a line waits for its batch to fill, in milliseconds. */
const BATCH_TIME_MS = 100;

/** The pause before a slow reader is tried again, in milliseconds. */
const RETRY_TIME_MS = 5;

/**
 * Writes log lines in batches, in order. Lines wait in memory for a slow reader, up to a limit. Further lines are
 * dropped and counted. All lines are dropped when the reader is closed. pino's stream (sonic-boom 4.2.1)
 * cannot take its place: its `flushSync` never returns if the reader closes.
 */
export class LineBuffer {
  readonly #options: Required<LineBufferOptions>;
  /** The lines of the next batch. */
  #lines: string[] = [];
  /** The batches that the reader has not taken yet. */
  readonly #waiting: Uint8Array[] = [];
  #lineBytes = 0;
  #waitingBytes = 0;
  #dropped = 0;
  #isGone = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LineBufferOptions) {
    this.#options = { maxBytes: MAX_BYTES, maxWait: MAX_WAIT_MS, ...options };
  }

  /** Adds a line, including its line break. */
  write(line: string): void {
    if (this.#isGone) return;
    const size = Buffer.byteLength(line);
    // Lines after a dropped one are dropped too, so that the log has one gap, at the line that reports it.
    if (this.#dropped > 0 || this.#waitingBytes + this.#lineBytes + size > this.#options.maxBytes) {
      this.#dropped += 1;
      return;
    }
    if (this.#lineBytes + size > BATCH_BYTES) this.flush();
    this.#lines.push(line);
    this.#lineBytes += size;
    this.#timer ??= this.#flushIn(BATCH_TIME_MS);
  }

  /** Writes all lines that the reader takes now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isGone) return;
    if (this.#lines.length > 0) this.#waiting.push(Buffer.from(this.#lines.join("")));
    this.#waitingBytes += this.#lineBytes;
    this.#lines = [];
    this.#lineBytes = 0;
    this.#sendWaiting();
    if (this.#waiting.length > 0) {
      this.#timer = this.#flushIn(RETRY_TIME_MS);
    } else if (this.#dropped > 0) {
      const lines = this.#dropped;
      this.#dropped = 0;
      this.#options.onDropped(lines);
    }
  }

  /** Writes all lines, and waits for a slow reader for a limited time. */
  flushSync(): void {
    const deadline = performance.now() + this.#options.maxWait;
    this.flush();
    while (this.#waiting.length > 0 && performance.now() < deadline) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_TIME_MS);
      this.flush();
    }
  }

  #sendWaiting(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const taken = this.#options.put(next);
      if (taken === undefined) {
        this.#isGone = true;
        this.#waiting.length = 0;
        this.#dropped = 0;
        return;
      }
      this.#waitingBytes -= taken;
      if (taken < next.length) {
        this.#waiting[0] = next.subarray(taken);
        return;
      }
      this.#waiting.shift();
    }
  }

  #flushIn(delay: number): NodeJS.Timeout {
    return setTimeout(() => this.flush(), delay).unref();
  }
}
