import type { Kysely, Transaction } from "kysely";
import type { PoolState } from "../connection-pool.ts";
import type { Schema } from "../sql/schema.ts";

/** The most idle readers kept open; others are closed after use. */
const MOST_IDLE = 8;

/** A pool of connections, each of which reads one snapshot at a time. */
export interface SnapshotReaders {
  readonly state: PoolState;
  /** Runs reads in a transaction on a connection reserved for them. */
  run<T>(run: (tx: Transaction<Schema>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Creates the pool; a connection is opened when all others are in use. */
export function createSnapshotReaders(open: () => Kysely<Schema>): SnapshotReaders {
  const idle: Kysely<Schema>[] = [];
  let inUse = 0;
  return {
    get state() {
      return { inUse, idle: idle.length, waiting: 0 };
    },
    async run(run) {
      const reader = idle.pop() ?? open();
      inUse += 1;
      try {
        return await reader.transaction().execute(run);
      } finally {
        inUse -= 1;
        if (idle.length < MOST_IDLE) idle.push(reader);
        else await reader.destroy();
      }
    },
    async close() {
      for (const reader of idle) await reader.destroy();
    },
  };
}
