import { type Kysely, Transaction } from "kysely";
import { Code, DomainError } from "../../domain/errors.ts";
import type { WriteIn } from "../sql/connections.ts";
import { createGroupCommit, type Transact } from "../sql/group-commit.ts";
import { isShort } from "../sql/in-transaction.ts";
import { runUnwrapped } from "../sql/run-now.ts";
import type { Schema } from "../sql/schema.ts";
import type { WriteScope } from "../write-scope.ts";
import { POOL_TIMEOUT_MS } from "./client-settings.ts";
import { connectionOf, type PostgresConnection } from "./driver.ts";
import { isConflict } from "./errors.ts";
import { lockScope } from "./lock.ts";
import type { PostgresDialect } from "./postgres-dialect.ts";

/** The time after which a group takes no more writes, in milliseconds: each waits for the server a few times. */
const MOST_GROUP_MS = 20;

/** The writes of one scope that have not ended. */
interface Queue {
  readonly transact: Transact;
  unfinished: number;
}

/**
 * Creates a runner of transactions that uses one connection for those of one scope: others would wait there for its
 * lock, and leave none for other scopes. Writes of projects that wait are committed as a group.
 */
export function createWriteQueues(write: Kysely<Schema>, dialect: PostgresDialect): WriteIn {
  const queues = new Map<string, Queue>();
  return async (scope, run) => {
    const key = keyOf(scope);
    if (key === undefined) return write.transaction().execute(run);
    const queue = queues.get(key) ?? {
      transact: createQueue(write, dialect, scope),
      unfinished: 0,
    };
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

function createQueue(write: Kysely<Schema>, dialect: PostgresDialect, scope: WriteScope): Transact {
  return createGroupCommit({
    write,
    ...(!isShort(scope) && { mostMembers: 1 }),
    mostWaitMs: POOL_TIMEOUT_MS,
    mostMs: MOST_GROUP_MS,
    async begin(tx) {
      const connection = await connectionOf(tx);
      const open = withoutTurns(tx, connection, dialect);
      runUnwrapped(open, (query) => connection.runInTransaction(query));
      await lockScope(open, scope);
      return open;
    },
    runsAgain,
  });
}

/** Returns a transaction whose queries do not wait for each other, so that those begun together are sent together. */
function withoutTurns(
  tx: Transaction<Schema>,
  connection: PostgresConnection,
  dialect: PostgresDialect,
): Transaction<Schema> {
  const executor = tx.getExecutor().withConnectionProvider({
    provideConnection: (consume) => consume(connection),
  });
  return new Transaction({
    config: { dialect },
    dialect,
    driver: dialect.createDriver(),
    executor,
  });
}

/** Reports whether a group may run again: it was not committed, and the server can serve. */
function runsAgain(fault: unknown): boolean {
  return isConflict(fault) || !(fault instanceof DomainError && fault.code === Code.UNAVAILABLE);
}

/** Returns what equal scopes have in common; undefined for one that excludes no other. */
function keyOf(scope: WriteScope): string | undefined {
  if (scope === "installation") return scope;
  if ("organizationId" in scope) return JSON.stringify(scope.organizationId);
  const ids = [...new Set(scope.projectIds)].sort();
  return ids.length === 0 ? undefined : JSON.stringify(ids);
}
