import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { shareCompileCache } from "../../compile-cache.ts";
import { DomainError } from "../../domain/errors.ts";
import type { FileOptions } from "./file-preparer.ts";
import type { PreparedPiece } from "./line-preparer.ts";

/** The ending of this file and its neighbours, which are compiled in the package. */
const ENDING = extname(import.meta.url);

/** A chunk of the file; without bytes, its end. */
export interface ThreadPiece {
  readonly bytes: Uint8Array | undefined;
  /** True to collect the names in it, which precedes reading its records. */
  readonly isForNames: boolean;
}

/** The answer of the thread to each chunk; the class of an error does not survive the transfer. */
export interface ThreadAnswer extends Omit<PreparedPiece, "fault"> {
  readonly fault?: Pick<DomainError, "code" | "reason" | "message" | "fields" | "metadata">;
}

interface Waiting {
  resolve(piece: PreparedPiece): void;
  reject(cause: unknown): void;
}

/** Reads and checks lines in another thread while this one writes. */
export class PrepareThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  /** Why the thread has ended; undefined while it runs. */
  #ended: { readonly cause: unknown } | undefined;

  constructor(options: FileOptions) {
    this.#worker = new Worker(new URL(`./thread${ENDING}`, import.meta.url), {
      workerData: options,
      // A thread has a cache of compiled code only if it is named here.
      env: shareCompileCache(),
      // Prepared records are short-lived.
      resourceLimits: { maxYoungGenerationSizeMb: 32 },
    });
    this.#worker.on("message", (answer: ThreadAnswer) => {
      this.#waiting.shift()?.resolve(toPiece(answer));
    });
    this.#worker.on("error", (cause) => this.#end(cause));
    this.#worker.on("exit", () => this.#end(new Error("the thread that reads the file has ended")));
  }

  /** Prepares the next chunk of the file; undefined marks its end. */
  prepare(bytes: Uint8Array | undefined): Promise<PreparedPiece> {
    return this.#send({ bytes, isForNames: false });
  }

  /** Collects the names in the next chunk; undefined marks the end. Throws the first fault. */
  async learn(bytes: Uint8Array | undefined): Promise<void> {
    const { fault } = await this.#send({ bytes, isForNames: true });
    if (fault !== undefined) throw fault;
  }

  /** Rejects what waits for the thread and whatever is sent later, with the first cause. */
  #end(cause: unknown): void {
    this.#ended ??= { cause };
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended.cause);
  }

  #send(piece: ThreadPiece): Promise<PreparedPiece> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended.cause);
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(piece);
    });
  }

  /** Terminates the thread. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

function toPiece({ fault, ...piece }: ThreadAnswer): PreparedPiece {
  if (fault === undefined) return piece;
  const { code, reason, message, fields, metadata } = fault;
  return { ...piece, fault: new DomainError(code, reason, message, { fields, metadata }) };
}
