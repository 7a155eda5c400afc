import { Code, DomainError } from "../../domain/errors.ts";
import { createGroupCommit, type Transact } from "../db/group-commit.ts";
import type { WriteIn } from "../sql/connections.ts";
import { isShort } from "../sql/in-transaction.ts";
import type { WriteScope } from "../write-scope.ts";
import { POOL_TIMEOUT_MS } from "./client-settings.ts";
import { isConflict } from "./errors.ts";
import { lockScope } from "./lock.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** The time after which a group takes no more writes, in milliseconds: each waits for the server a few times. */
const MOST_GROUP_MS = 20;

/** The writes of one scope that have not ended. */
interface Queue {
  readonly transact: Transact;
  unfinished: number;
}

/**
 * Returns a runner of transactions that uses one connection for those of one scope: others would wait there for its
 * lock, and leave none for other scopes. Writes of projects that wait are committed as a group.
 */
export function inTurns(write: PostgresPool): WriteIn {
  const queues = new Map<string, Queue>();
  return async (scope, run) => {
    const key = keyOf(scope);
    if (key === undefined) return write.transaction(run);
    const queue = queues.get(key) ?? { transact: createQueue(write, scope), unfinished: 0 };
    queues.set(key, queue);
    queue.unfinished += 1;
    try {
      return await queue.transact(run);
    } finally {
      queue.unfinished -= 1;
      if (queue.unfinished === 0) queues.delete(key);
    }
  };
}

function createQueue(write: PostgresPool, scope: WriteScope): Transact {
  return createGroupCommit({
    write: {
      transaction: (run) =>
        write.transaction(async (tx) => {
          await lockScope(tx, scope);
          return run(tx);
        }),
    },
    ...(!isShort(scope) && { mostMembers: 1 }),
    mostWaitMs: POOL_TIMEOUT_MS,
    mostMs: MOST_GROUP_MS,
    // Unless the server cannot serve: a group whose connection is lost may be committed.
    runsAgain: (fault) =>
      isConflict(fault) || !(fault instanceof DomainError && fault.code === Code.UNAVAILABLE),
  });
}

/** Returns what equal scopes have in common; undefined for one that excludes no other. */
function keyOf(scope: WriteScope): string | undefined {
  if (scope === "installation") return scope;
  if ("organizationId" in scope) return JSON.stringify(scope.organizationId);
  const ids = [...new Set(scope.projectIds)].sort();
  return ids.length === 0 ? undefined : JSON.stringify(ids);
}
