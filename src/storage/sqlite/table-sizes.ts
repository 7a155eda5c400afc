import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/** How long measured sizes are returned, in milliseconds: measuring reads every page of the file. */
const FRESH = 3_600_000;

// In the package, this folder is compiled.
const PROGRAM = new URL(`./table-sizes-thread${extname(import.meta.url)}`, import.meta.url);

/** The sizes of the tables of a database file, measured in a thread at most once an hour. */
export class TableSizes {
  readonly #path: string;
  #last: ReadonlyMap<string, number> = new Map();
  /** When the last measurement began, by the monotonic clock. */
  #time = Number.NEGATIVE_INFINITY;
  #end = async (): Promise<unknown> => undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the last bytes of each table and its indexes, without waiting; none before they are measured. */
  read(): ReadonlyMap<string, number> {
    const now = performance.now();
    if (now > this.#time + FRESH) {
      this.#time = now;
      const thread = new Worker(PROGRAM, { workerData: this.#path });
      const loaded = once(thread, "message").catch(() => {});
      // Without the file, or with a corrupt one, the sizes stay as they were.
      thread.on("error", () => {});
      thread.on("message", (sizes) => {
        this.#last = sizes ?? this.#last;
      });
      this.#end = async () => {
        // To end a thread that is loading SQLite would abort the process.
        await loaded;
        await thread.terminate();
      };
    }
    return this.#last;
  }

  /** Ends a measurement. */
  async close(): Promise<void> {
    await this.#end();
  }
}
