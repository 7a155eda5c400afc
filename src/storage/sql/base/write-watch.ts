import { randomBytes } from "node:crypto";
import { DomainError } from "../../../domain/base/errors.ts";
import type { StateLog } from "../../contract/connection-pool.ts";
import { UNLOCKED } from "../../contract/write-scope.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { WriteIn } from "./connections.ts";

/** The pause between two probes, in milliseconds. */
const PROBE_INTERVAL_MS = 2_000;

/** The bytes that a probe writes: as a disk with less room is full. */
const PROBE_BYTES = 65_536;

/** The name of the value that a probe writes. */
const PROBE = "write_probe";

/** Runs the writes of a database. */
interface Writer {
  readonly write: WriteIn;
}

/** How writes are watched. */
export interface WriteWatchOptions {
  /** Says in words why an error means that the database cannot be written; undefined for other errors. */
  findCause(error: unknown): string | undefined;
  /** Opens a connection and closes it: a probe may have one although the server accepts no more; absent: it needs none. */
  connect?(): Promise<void>;
  /** Receives the loss of writes and their return; absent: not logged. */
  readonly log?: StateLog | undefined;
}

/**
 * Knows whether a database that responds can be written. Its writes show that it cannot; a probe then shows that it
 * can again, because a small write may succeed where others fail. A damaged database remains so until the process ends.
 */
export class WriteWatch {
  readonly #writer: Writer;
  readonly #options: WriteWatchOptions;
  #waiting = 0;
  /** The time of the first failed write; undefined while the database can be written. */
  #lostTime: number | undefined;
  #isDamaged = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(writer: Writer, options: WriteWatchOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  get isWritable(): boolean {
    return this.#lostTime === undefined;
  }

  /** The number of writes that wait for their turn in a queue, for a connection, or for the lock. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Runs a write, counts it until it begins, and notes how it fails. */
  readonly write: WriteIn = async (scope, run) => {
    let isWaiting = true;
    this.#waiting += 1;
    const begin = () => {
      if (isWaiting) this.#waiting -= 1;
      isWaiting = false;
    };
    try {
      return await this.#watch(() =>
        this.#writer.write(scope, (tx) => {
          begin();
          return run(tx);
        }),
      );
    } finally {
      begin();
    }
  };

  /** Returns a database whose transactions are watched as well. */
  over(db: Db): Db {
    return {
      all: (query, budget) => this.#watch(() => db.all(query, budget)),
      transaction: (run, owner) => this.#watch(() => db.transaction(run, owner)),
    };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #watch<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.note(error);
      throw error;
    }
  }

  /** Notes an error, which may mean that the database cannot be written. */
  note(error: unknown): void {
    const cause = this.#options.findCause(error);
    if (cause === undefined || this.#isDamaged || this.#isClosed) return;
    this.#isDamaged = error instanceof DomainError && error.retryAfter === undefined;
    if (!(this.isWritable || this.#isDamaged)) return;
    this.#options.log?.error({ cause, err: error }, "database cannot be written");
    if (this.isWritable && !this.#isDamaged) this.#schedule();
    this.#lostTime ??= performance.now();
  }

  #schedule(): void {
    this.#timer = setTimeout(async () => {
      const isBack = await this.#probe();
      if (this.#isDamaged || this.#isClosed) return;
      if (!isBack || this.#lostTime === undefined) return this.#schedule();
      const lost_ms = Math.round(performance.now() - this.#lostTime);
      this.#lostTime = undefined;
      this.#options.log?.info({ lost_ms }, "database can be written again");
    }, PROBE_INTERVAL_MS).unref();
  }

  /** Writes a value and deletes it, in two transactions: what is deleted before the commit would take no room. */
  async #probe(): Promise<boolean> {
    const value = randomBytes(PROBE_BYTES);
    const keep = build
      .insertInto("secret")
      .values({ name: PROBE, value })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }));
    const erase = build.deleteFrom("secret").where("name", "=", PROBE);
    try {
      await this.#options.connect?.();
      for (const query of [keep, erase]) await this.write(UNLOCKED, (tx) => tx.run(query));
      return true;
    } catch {
      return false;
    }
  }
}
