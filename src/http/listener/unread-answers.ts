import type { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { findCredential, type RequestTarget } from "./credential.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** The bytes of an answer that are written at a time: to take them shows that its reader goes on. */
const CHUNK = 64 * 1024;

/** The part of the memory that the answers to one credential may take. */
const SHARE = 0.5;

/** An answer that its reader has not taken as a whole. */
interface UnreadAnswer {
  readonly credential: string;
  readonly bytes: number;
  /** The stream or connection that it is read from. */
  readonly reader: Duplex;
  readonly start: number;
  /** The time at which the reader took the last part of it. */
  progress: number;
}

/**
 * Writes the bodies of answers, and bounds the memory of those that wait for their readers in this process. A reader
 * that takes nothing for too long is cut, and so are those that took nothing for the longest time when the answers of
 * their credential, or all, take too much memory: whoever does not read makes room for others.
 */
export class UnreadAnswers {
  readonly maxBytes: number;
  /** Those whose readers took nothing for the longest time come first. */
  readonly #answers = new Set<UnreadAnswer>();
  /** The bytes of each credential. */
  readonly #held = new Map<string, number>();
  #bytes = 0;
  #cut = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** The bytes of the answers that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of readers that were cut. */
  get cut(): number {
    return this.#cut;
  }

  /**
   * Ends an answer, with a body that is written no faster than the reader takes it. Returns true if it has left this
   * process, as short ones do immediately; unknown for HTTP/2, where it is false.
   */
  end(
    answer: ServerResponse | ServerHttp2Stream,
    body: Uint8Array | undefined,
    head: RequestTarget,
    reader: Duplex,
  ): boolean {
    if (body === undefined || body.length <= CHUNK) {
      answer.end(body);
      // An answer that waits behind another on its connection has no socket yet.
      if (reader instanceof Socket && "socket" in answer && answer.socket?.writableLength === 0) {
        return true;
      }
      this.add(answer, body?.length ?? 0, head, reader);
      return false;
    }
    const unread = this.add(answer, body.length, head, reader);
    let written = 0;
    const write = () => {
      while (written < body.length) {
        const chunk = body.subarray(written, written + CHUNK);
        written += chunk.length;
        if (!answer.write(chunk) && written < body.length) return;
      }
      answer.off("drain", resume).end();
    };
    const resume = () => {
      this.#progress(unread);
      write();
    };
    answer.on("drain", resume);
    write();
    return false;
  }

  /** Counts the bytes of an answer until it closes. */
  add(answer: EventEmitter, bytes: number, head: RequestTarget, reader: Duplex): UnreadAnswer {
    const credential = findCredential(head) ?? "";
    const now = performance.now();
    const unread = { credential, bytes, reader, start: now, progress: now };
    this.#makeRoom(unread);
    this.#answers.add(unread);
    this.#count(unread, bytes);
    answer.once("close", () => this.#remove(unread));
    this.#timer ??= setInterval(() => this.#cutStalled(), HTTP_LIMITS.checkInterval).unref();
    return unread;
  }

  /** Cuts readers until an answer has room. One that alone takes more is sent nevertheless. */
  #makeRoom({ credential, bytes }: UnreadAnswer): void {
    const isFull = () => this.#bytes + bytes > this.maxBytes;
    const hasShare = () =>
      (this.#held.get(credential) ?? 0) + bytes <= Math.floor(this.maxBytes * SHARE);
    if (!isFull() && hasShare()) return;
    for (const unread of this.#answers) {
      if (hasShare()) break;
      if (unread.credential === credential) this.#cutReader(unread);
    }
    for (const unread of this.#answers) {
      if (!isFull()) break;
      this.#cutReader(unread);
    }
  }

  #progress(unread: UnreadAnswer): void {
    if (!this.#answers.delete(unread)) return;
    unread.progress = performance.now();
    this.#answers.add(unread);
  }

  #cutStalled(): void {
    const now = performance.now();
    for (const unread of this.#answers) {
      const isStalled = now - unread.progress >= HTTP_LIMITS.stallTimeout;
      if (isStalled || now - unread.start >= HTTP_LIMITS.answerTimeout) this.#cutReader(unread);
    }
  }

  #cutReader(unread: UnreadAnswer): void {
    this.#remove(unread);
    // Several answers may wait on one connection.
    if (unread.reader.destroyed) return;
    this.#cut += 1;
    unread.reader.destroy();
  }

  #remove(unread: UnreadAnswer): void {
    if (!this.#answers.delete(unread)) return;
    this.#count(unread, -unread.bytes);
    if (this.#answers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #count({ credential }: UnreadAnswer, bytes: number): void {
    this.#bytes += bytes;
    const held = (this.#held.get(credential) ?? 0) + bytes;
    if (held > 0) this.#held.set(credential, held);
    else this.#held.delete(credential);
  }
}
