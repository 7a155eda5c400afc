import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { HTTP_LIMITS } from "./limits.ts";

/** The bytes of a response that are written at a time. A reader that takes them is alive. */
export const CHUNK = 64 * 1024;

/** The part of the memory that the responses to one credential may take. */
const SHARE = 0.5;

/** A response with the request for it. */
interface Sending {
  readonly request: { readonly socket: Duplex; readonly stream?: Duplex };
  readonly response: ServerResponse;
  /** The credential of the request; undefined if it has none. */
  readonly credential: string | undefined;
}

/** A response that its reader has not taken as a whole. */
interface UnreadResponse {
  readonly credential: string;
  readonly bytes: number;
  /** The stream or connection that it is read from. */
  readonly reader: Duplex;
  readonly start: number;
  /** When the reader took the last part of it. */
  progress: number;
}

/**
 * Bounds the memory of the responses that wait for their readers. A reader that
 * takes nothing for too long is disconnected. If the waiting responses of a credential, or of all, take too much
 * memory, the slowest readers are disconnected first.
 */
export class UnreadResponses {
  readonly maxBytes: number;
  /** The bytes of the responses that wait. */
  bytes = 0;
  /** The number of readers that were cut. */
  cut = 0;
  /** Those whose readers took nothing for the longest time come first. */
  readonly #responses = new Set<UnreadResponse>();
  /** The bytes of each credential. */
  readonly #held = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Ends a response with a body that is written no faster than its reader takes it. */
  endInChunks(sending: Sending, body: Uint8Array): void {
    const { response } = sending;
    const unread = this.add(sending, body.length);
    let written = 0;
    const write = () => {
      while (written < body.length) {
        const chunk = body.subarray(written, written + CHUNK);
        written += chunk.length;
        if (!response.write(chunk) && written < body.length) return;
      }
      response.off("drain", resume).end();
    };
    const resume = () => {
      this.#progress(unread);
      write();
    };
    response.on("drain", resume);
    write();
  }

  /** Counts the bytes of a response until it closes. */
  add({ request, response, credential = "" }: Sending, bytes: number): UnreadResponse {
    const now = performance.now();
    const reader = request.stream ?? request.socket;
    const unread = { credential, bytes, reader, start: now, progress: now };
    this.#makeRoom(unread);
    this.#responses.add(unread);
    this.#count(unread, bytes);
    response.once("close", () => this.#remove(unread));
    this.#timer ??= setInterval(() => this.#cutStalled(), HTTP_LIMITS.checkInterval).unref();
    return unread;
  }

  /** Cuts readers until a response has room. One that alone takes more is sent nevertheless. */
  #makeRoom({ credential, bytes }: UnreadResponse): void {
    const isFull = () => this.bytes + bytes > this.maxBytes;
    const hasShare = () =>
      (this.#held.get(credential) ?? 0) + bytes <= Math.floor(this.maxBytes * SHARE);
    if (!isFull() && hasShare()) return;
    for (const unread of this.#responses) {
      if (hasShare()) break;
      if (unread.credential === credential) this.#cutReader(unread);
    }
    for (const unread of this.#responses) {
      if (!isFull()) break;
      this.#cutReader(unread);
    }
  }

  #progress(unread: UnreadResponse): void {
    if (!this.#responses.delete(unread)) return;
    unread.progress = performance.now();
    this.#responses.add(unread);
  }

  #cutStalled(): void {
    const now = performance.now();
    for (const unread of this.#responses) {
      const isStalled = now - unread.progress >= HTTP_LIMITS.stallTimeout;
      if (isStalled || now - unread.start >= HTTP_LIMITS.responseTimeout) this.#cutReader(unread);
    }
  }

  #cutReader(unread: UnreadResponse): void {
    this.#remove(unread);
    // Several responses may wait on one connection.
    if (unread.reader.destroyed) return;
    this.cut += 1;
    unread.reader.destroy();
  }

  #remove(unread: UnreadResponse): void {
    if (!this.#responses.delete(unread)) return;
    this.#count(unread, -unread.bytes);
    if (this.#responses.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #count({ credential }: UnreadResponse, bytes: number): void {
    this.bytes += bytes;
    const held = (this.#held.get(credential) ?? 0) + bytes;
    if (held > 0) this.#held.set(credential, held);
    else this.#held.delete(credential);
  }
}
