import { Worker } from "node:worker_threads";
import { DomainError } from "../../domain/errors.ts";
import type { PreparedPiece } from "./line-preparer.ts";

/** What the thread is told at its start. */
export interface ThreadOptions {
  readonly projectId?: string;
  /** The project of the copy that the records become. */
  readonly intoProjectId?: string;
}

/** A piece of the file; without bytes, its end. */
export interface ThreadPiece {
  readonly bytes: Uint8Array | undefined;
  /** True: it is read for the names in it, before the file is read for its records. */
  readonly isForNames: boolean;
}

/** What the thread answers to each piece; an error's class does not get from thread to thread. */
export interface ThreadAnswer extends Omit<PreparedPiece, "fault"> {
  readonly fault?: Pick<DomainError, "code" | "reason" | "message" | "fields" | "metadata">;
}

interface Waiting {
  resolve(piece: PreparedPiece): void;
  reject(cause: unknown): void;
}

/** A thread that reads and checks lines while this one writes. */
export class PrepareThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];

  constructor(options: ThreadOptions) {
    this.#worker = new Worker(new URL("./thread.ts", import.meta.url), {
      workerData: options,
      // What is made ready lives for moments only.
      resourceLimits: { maxYoungGenerationSizeMb: 32 },
    });
    this.#worker.on("message", (answer: ThreadAnswer) => {
      this.#waiting.shift()?.resolve(toPiece(answer));
    });
    this.#worker.on("error", (cause) => {
      for (const { reject } of this.#waiting.splice(0)) reject(cause);
    });
  }

  /** Makes the next piece of the file ready; without one, the end of the file. */
  prepare(bytes: Uint8Array | undefined): Promise<PreparedPiece> {
    return this.#send({ bytes, isForNames: false });
  }

  /** Takes note of the names in the next piece; without one, of the end. Throws the first fault. */
  async learn(bytes: Uint8Array | undefined): Promise<void> {
    const { fault } = await this.#send({ bytes, isForNames: true });
    if (fault !== undefined) throw fault;
  }

  #send(piece: ThreadPiece): Promise<PreparedPiece> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(piece);
    });
  }

  /** Ends the thread, whatever it does. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

function toPiece({ fault, ...piece }: ThreadAnswer): PreparedPiece {
  if (fault === undefined) return piece;
  const { code, reason, message, fields, metadata } = fault;
  return { ...piece, fault: new DomainError(code, reason, message, { fields, metadata }) };
}
