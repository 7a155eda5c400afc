import { Code, DomainError } from "../../domain/base/errors.ts";
import { ownerOf, type WriteScope } from "../contract/write-scope.ts";
import type { Tx } from "../db/db.ts";
import { GroupCommit } from "../db/group-commit.ts";
import { isShort } from "../sql/base/in-transaction.ts";
import { POOL_TIMEOUT_MS } from "./client-settings.ts";
import { isConflict } from "./errors.ts";
import { lockScope } from "./lock.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** How long a group accepts writes, in milliseconds: each waits for the server a few times. */
const MOST_GROUP_MS = 20;

/** The writes of one scope that have not ended. */
interface Queue {
  readonly commit: GroupCommit;
  unfinished: number;
}

/**
 * Runs transactions of one scope on one connection: concurrent ones would occupy connections while they wait for its
 * lock, and leave none for other scopes. Short ones that wait are committed as a group. Owners take turns with the
 * connections.
 */
export class WriteTurns {
  readonly #write: PostgresPool;
  readonly #queues = new Map<string, Queue>();

  constructor(write: PostgresPool) {
    this.#write = write;
  }

  /** Runs a transaction with its scope locked. */
  async write<T>(scope: WriteScope, run: (tx: Tx) => Promise<T>): Promise<T> {
    const key = keyOf(scope);
    const owner = ownerOf(scope);
    if (key === undefined) return this.#write.transaction(run);
    const queue = this.#queues.get(key) ?? { commit: this.#createGroups(scope), unfinished: 0 };
    this.#queues.set(key, queue);
    queue.unfinished += 1;
    try {
      return await queue.commit.run(run, owner);
    } finally {
      queue.unfinished -= 1;
      if (queue.unfinished === 0) this.#queues.delete(key);
    }
  }

  #createGroups(scope: WriteScope): GroupCommit {
    return new GroupCommit({
      write: {
        transaction: (run) =>
          this.#write.transaction(async (tx) => {
            await lockScope(tx, scope);
            return run(tx);
          }, ownerOf(scope)),
      },
      ...(!isShort(scope) && { mostMembers: 1 }),
      mostWaitMs: POOL_TIMEOUT_MS,
      mostMs: MOST_GROUP_MS,
      // Not if the server is unavailable: a group with a lost connection may be committed.
      runsAgain: (error) =>
        isConflict(error) || !(error instanceof DomainError && error.code === Code.UNAVAILABLE),
    });
  }
}

/** Returns a key that equal scopes share; undefined for a scope that excludes no other. */
function keyOf(scope: WriteScope): string | undefined {
  if (scope === "installation") return scope;
  if ("organizationId" in scope) return JSON.stringify(scope.organizationId);
  const ids = [...new Set(scope.projectIds)].sort();
  return ids.length === 0 ? undefined : JSON.stringify([ids, isShort(scope)]);
}
