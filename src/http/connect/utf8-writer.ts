/** The size of the buffer that texts are written into, in bytes. */
const BUFFER_SIZE = 262_144;

/** Shorter texts are joined before they are written, as each write has a cost of its own. */
const SHORT = 256;
const MOST_JOINED = 4_096;

/** The most bytes that a UTF-16 unit takes in UTF-8. */
const MOST_BYTES = 3;

/** Shared by all writers: each is used up before the next begins. */
const BUFFER = Buffer.allocUnsafeSlow(BUFFER_SIZE);

/**
 * Writes texts one after the other as UTF-8, without joining them into one string: that would be copied, with
 * two bytes a character if any text needs them, and read twice to be encoded. Writers must not be interleaved.
 */
export class Utf8Writer {
  readonly #full: Uint8Array[] = [];
  #length = 0;
  #joined = "";

  /** Appends a text. */
  add(text: string): void {
    if (text.length < SHORT) {
      this.#joined += text;
      if (this.#joined.length < MOST_JOINED) return;
      this.#flush();
    } else {
      this.#flush();
      this.#write(text);
    }
  }

  /** Returns the bytes written. The next writer may overwrite them, so the caller copies what it keeps. */
  take(): Uint8Array {
    this.#flush();
    if (this.#full.length === 0) return BUFFER.subarray(0, this.#length);
    return Buffer.concat([...this.#full, BUFFER.subarray(0, this.#length)]);
  }

  #flush(): void {
    const joined = this.#joined;
    this.#joined = "";
    this.#write(joined);
  }

  #write(text: string): void {
    const most = text.length * MOST_BYTES;
    if (this.#length + most > BUFFER_SIZE) {
      this.#full.push(Buffer.from(BUFFER.subarray(0, this.#length)));
      this.#length = 0;
    }
    if (most > BUFFER_SIZE) this.#full.push(Buffer.from(text));
    else this.#length += BUFFER.write(text, this.#length);
  }
}
