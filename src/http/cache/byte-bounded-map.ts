/** A map that drops its least recently used values when their total size exceeds a limit in bytes. */
export class ByteBoundedMap<V> {
  readonly #maxBytes: number;
  readonly #sizeOf: (key: string, value: V) => number;
  /** Ordered from the least recently used. */
  readonly #entries = new Map<string, Entry<V>>();
  #newest: Entry<V> | undefined;
  #bytes = 0;
  #evicted = 0;

  constructor(maxBytes: number, sizeOf: (key: string, value: V) => number) {
    this.#maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
  }

  /** The total size of the values. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of values that were dropped because of the limit. */
  get evicted(): number {
    return this.#evicted;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = entry;
    }
    return entry.value;
  }

  /** Sets a value, or its new size if it has grown; a value larger than the whole map is dropped. */
  set(key: string, value: V): void {
    this.delete(key);
    const size = this.#sizeOf(key, value);
    if (size > this.#maxBytes) return;
    this.#newest = { value, size };
    this.#entries.set(key, this.#newest);
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
      this.#evicted += 1;
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.size;
  }
}

interface Entry<V> {
  readonly value: V;
  readonly size: number;
}
