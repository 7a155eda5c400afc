import { CompiledQuery, type Transaction } from "kysely";
import type { Connections, Transact } from "../sql/connections.ts";
import { type RunNow, runDirectly, runNow } from "../sql/run-now.ts";
import type { Schema } from "../sql/schema.ts";

/** The most transactions in a group. */
const MOST_MEMBERS = 64;

/** The time after which a group takes no more transactions, in milliseconds. */
const MOST_MS = 5;

const SAVEPOINT = CompiledQuery.raw("savepoint member");
const RELEASE = CompiledQuery.raw("release member");
const ROLLBACK = CompiledQuery.raw("rollback to member");

/** A transaction that waits for its turn. */
interface Member {
  readonly run: (tx: Transaction<Schema>) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (fault: unknown) => void;
}

/**
 * Creates a runner of short write transactions that commits those which wait at the same moment as a group,
 * as syncing the disk takes longer than most of them. Each runs in a savepoint, after the others: it sees
 * what they wrote, and its own failure undoes nothing of theirs. All are answered after the commit.
 *
 * Their queries go around Kysely's layers by `direct`, if given.
 *
 * If a group fails as a whole, nothing of it is kept, and each of its transactions runs again on its own.
 */
export function createGroupCommit(
  { write, direct }: Pick<Connections, "write"> & { readonly direct?: RunNow },
  now: () => number = () => performance.now(),
): Transact {
  const waiting: Member[] = [];
  let isScheduled = false;

  return <T>(run: (tx: Transaction<Schema>) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ run, resolve: resolve as Member["resolve"], reject });
      schedule();
    });

  /** Starts the next group when the requests that have arrived by now are read. */
  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(async () => {
      const group = waiting.splice(0, MOST_MEMBERS);
      waiting.unshift(...(await commit(group)));
      isScheduled = false;
      schedule();
    });
  }

  /** Commits a group, and returns those that are left for the next one because the time is up. */
  async function commit(group: readonly Member[]): Promise<readonly Member[]> {
    const [first] = group;
    if (group.length === 1 && first !== undefined) {
      await commitAlone(first);
      return [];
    }
    const answers: (() => void)[] = [];
    let hasBegun = false;
    try {
      await transact(async (tx) => {
        hasBegun = true;
        const end = now() + MOST_MS;
        for (const member of group) {
          answers.push(await runInSavepoint(tx, member));
          if (now() >= end) break;
        }
      });
    } catch (fault) {
      if (hasBegun) for (const member of group) await commitAlone(member);
      else for (const { reject } of group) reject(fault);
      return [];
    }
    for (const answer of answers) answer();
    return group.slice(answers.length);
  }

  async function commitAlone({ run, resolve, reject }: Member): Promise<void> {
    await transact(run).then(resolve, reject);
  }

  function transact<T>(run: (tx: Transaction<Schema>) => Promise<T>): Promise<T> {
    return write.transaction().execute((tx) => {
      // The transaction holds the connection until it ends.
      if (direct !== undefined) runDirectly(tx, direct);
      return run(tx);
    });
  }
}

/** Runs a transaction in a savepoint and returns its answer, to be given once the group is committed. */
async function runInSavepoint(
  tx: Transaction<Schema>,
  { run, resolve, reject }: Member,
): Promise<() => void> {
  const execute = async (query: CompiledQuery) => runNow(tx, query) ?? tx.executeQuery(query);
  await execute(SAVEPOINT);
  try {
    const value = await run(tx);
    await execute(RELEASE);
    return () => resolve(value);
  } catch (fault) {
    await execute(ROLLBACK);
    await execute(RELEASE);
    return () => reject(fault);
  }
}
