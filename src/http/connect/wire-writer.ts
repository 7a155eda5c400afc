/** The size of the buffer that messages are written into, in bytes; a larger message gets one of its own. */
const BUFFER_SIZE = 262_144;

/** Shared by all writers: each is used up before the next begins. */
const BUFFER = Buffer.allocUnsafeSlow(BUFFER_SIZE);

/** The most bytes that a UTF-16 unit takes in UTF-8. */
const MOST_BYTES = 3;

/** A longer text is written by one call of Node, which has a cost of its own. */
const SHORT = 24;

/** The most bytes of a varint of 53 bits, or of a double. */
const MOST_OF_NUMBER = 8;

/** Writes the wire format of protobuf. Writers must not be interleaved. */
export class WireWriter {
  #bytes = BUFFER;
  #length = 0;

  /** Returns the bytes written. The next writer may overwrite them, so the caller copies what it keeps. */
  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes a whole number of at most 53 bits that is not negative. */
  varint(value: number): void {
    this.#reserve(MOST_OF_NUMBER);
    this.#length = writeVarint(this.#bytes, value, this.#length);
  }

  /** Writes a floating-point number of 64 bits. */
  double(value: number): void {
    this.#reserve(MOST_OF_NUMBER);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** Writes bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Writes a text after its length. */
  string(text: string): void {
    this.#reserve(1 + text.length * MOST_BYTES);
    const start = this.begin();
    if (!this.#writeShort(text)) this.#length = start + this.#bytes.write(text, start);
    this.end(start);
  }

  /** Returns the place up to which was written, for `reset`. */
  mark(): number {
    return this.#length;
  }

  /** Drops what was written after a place. */
  reset(place: number): void {
    this.#length = place;
  }

  /** Begins what is preceded by its length; returns its start for `end`. */
  begin(): number {
    this.#reserve(1);
    this.#length += 1;
    return this.#length;
  }

  /** Ends what began at a start, and writes its length: into the byte before it or, if longer, after moving it. */
  end(start: number): void {
    const size = this.#length - start;
    const more = sizeOfVarint(size) - 1;
    if (more > 0) {
      this.#reserve(more);
      this.#bytes.copyWithin(start + more, start, this.#length);
      this.#length += more;
    }
    writeVarint(this.#bytes, size, start - 1);
  }

  /** Writes a short text of ASCII; false for any other, of which some may be written behind the end. */
  #writeShort(text: string): boolean {
    const { length } = text;
    if (length > SHORT) return false;
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      this.#bytes[this.#length + index] = code;
    }
    this.#length += length;
    return true;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const bytes = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    bytes.set(this.take());
    this.#bytes = bytes;
  }
}

/** Writes a varint at a place, and returns the place after it. */
function writeVarint(bytes: Buffer, value: number, at: number): number {
  let rest = value;
  let end = at;
  while (rest > 0x7f) {
    bytes[end] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
    end += 1;
  }
  bytes[end] = rest;
  return end + 1;
}

function sizeOfVarint(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}
