/**
 * Writes bytes to the reader of the log and returns how many it took: 0 if it takes none now, undefined if it
 * is gone.
 */
export type Put = (bytes: Uint8Array) => number | undefined;

/** The options of a line buffer. */
export interface LineBufferOptions {
  readonly put: Put;
  /** Receives the number of dropped lines once the reader has taken all lines before them. */
  readonly onDropped: (lines: number) => void;
  /** The largest batch of several lines, in bytes; default: 4,096. */
  readonly batchBytes?: number;
  /** The most bytes that wait for a slow reader; default: 8 MiB. */
  readonly maxBytes?: number;
  /** The longest time that `flushSync` waits for a slow reader, in milliseconds; default: 2,000. */
  readonly maxWait?: number;
}

const MAX_BYTES = 8 * 1_024 * 1_024;
const MAX_WAIT_MS = 2_000;

/** Linux writes this many bytes to a pipe as one piece, so that processes which share it break no lines. */
const BATCH_BYTES = 4_096;

/** The longest time that a line waits for its batch to fill, in milliseconds. */
const BATCH_TIME_MS = 100;

/** The pause before a slow reader is tried again, in milliseconds. */
const RETRY_TIME_MS = 5;

/** The most bytes of a UTF-16 unit in UTF-8. */
const MOST_BYTES_OF_UNIT = 3;

/**
 * Writes log lines in batches, in order. Lines wait in memory for a slow reader, up to a limit; those past it
 * are dropped and counted. All lines are dropped when the reader is gone.
 *
 * A line is encoded when it is added: as a string in pieces, it would be read again from all over the memory.
 */
export class LineBuffer {
  readonly #put: Put;
  readonly #onDropped: (lines: number) => void;
  readonly #maxBytes: number;
  readonly #maxWait: number;
  readonly #batch: Buffer;
  #batchBytes = 0;
  /** What the reader has not taken yet. */
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #isGone = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({
    put,
    onDropped,
    batchBytes = BATCH_BYTES,
    maxBytes = MAX_BYTES,
    maxWait = MAX_WAIT_MS,
  }: LineBufferOptions) {
    this.#put = put;
    this.#onDropped = onDropped;
    this.#batch = Buffer.allocUnsafeSlow(batchBytes);
    this.#maxBytes = maxBytes;
    this.#maxWait = maxWait;
  }

  /** Adds a line, including its line break. */
  write(line: string): void {
    if (this.#isGone) return;
    // Lines after a dropped one are dropped too, so that the log has one gap, at the line that reports it.
    const bytes = this.#waitingBytes + this.#batchBytes + line.length;
    if (this.#dropped > 0 || bytes > this.#maxBytes) {
      this.#dropped += 1;
      return;
    }
    this.#addToBatch(line);
    this.#timer ??= this.#flushIn(BATCH_TIME_MS);
  }

  #addToBatch(line: string): void {
    if (this.#batchBytes + line.length * MOST_BYTES_OF_UNIT > this.#batch.length) {
      const size = Buffer.byteLength(line);
      if (this.#batchBytes + size > this.#batch.length) this.flush();
      if (size > this.#batch.length) {
        this.#send(Buffer.from(line));
        return;
      }
    }
    this.#batchBytes += this.#batch.write(line, this.#batchBytes);
  }

  /** Writes all lines that the reader takes now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sendWaiting();
    const batch = this.#batch.subarray(0, this.#batchBytes);
    this.#batchBytes = 0;
    this.#send(batch);
    if (this.#waiting.length > 0) this.#timer = this.#flushIn(RETRY_TIME_MS);
    else if (this.#dropped > 0) this.#reportDropped();
  }

  /** Writes all lines, and waits for a slow reader for a limited time. */
  flushSync(): void {
    const deadline = performance.now() + this.#maxWait;
    this.flush();
    while (this.#waiting.length + this.#batchBytes > 0 && performance.now() < deadline) {
      sleep(RETRY_TIME_MS);
      this.flush();
    }
  }

  /** Sends bytes after those that wait; the rest of what the reader does not take waits in a copy. */
  #send(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#isGone) return;
    const taken = this.#waiting.length > 0 ? 0 : this.#tryPut(bytes);
    if (taken === bytes.length || this.#isGone) return;
    this.#waiting.push(Buffer.from(bytes.subarray(taken)));
    this.#waitingBytes += bytes.length - taken;
  }

  #sendWaiting(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const taken = this.#tryPut(next);
      if (taken === 0) return;
      this.#waitingBytes -= taken;
      if (taken === next.length) this.#waiting.shift();
      else this.#waiting[0] = next.subarray(taken);
    }
  }

  /** Returns how many bytes the reader takes; forgets everything if it is gone. */
  #tryPut(bytes: Uint8Array): number {
    const taken = this.#put(bytes);
    if (taken !== undefined) return taken;
    this.#isGone = true;
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#dropped = 0;
    return 0;
  }

  #reportDropped(): void {
    const lines = this.#dropped;
    this.#dropped = 0;
    this.#onDropped(lines);
  }

  #flushIn(delay: number): NodeJS.Timeout {
    return setTimeout(() => this.flush(), delay).unref();
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
