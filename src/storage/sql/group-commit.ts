import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import { databaseUnavailable } from "../../domain/errors.ts";
import { type RunNow, runDirectly, runNow } from "./run-now.ts";
import type { Schema } from "./schema.ts";
import { sendAhead } from "./send-ahead.ts";

/** Runs one write transaction. */
export type Transact = <T>(run: (tx: Transaction<Schema>) => Promise<T>) => Promise<T>;

/** How transactions are committed in groups. */
export interface GroupOptions {
  readonly write: Kysely<Schema>;
  /** Runs queries of the transactions around Kysely's layers. */
  readonly direct?: RunNow;
  /** The most transactions in a group; default: 64. */
  readonly mostMembers?: number;
  /** The time after which a group takes no more transactions, in milliseconds; default: 5. */
  readonly mostMs?: number;
  /** The longest time for which a transaction waits for those before it, in milliseconds; default: any. */
  readonly mostWaitMs?: number;
  /** Runs at the beginning of each group; returns the transaction for its members. */
  begin?(tx: Transaction<Schema>): Promise<Transaction<Schema>>;
  /** Decides whether the transactions of a group that failed run again, each on its own; default: always. */
  runsAgain?(fault: unknown): boolean;
}

/** The default of the most transactions in a group. */
const MOST_MEMBERS = 64;

/** The default of the time after which a group takes no more transactions, in milliseconds. */
const MOST_MS = 5;

/** A transaction that waits for its turn. */
interface Member {
  readonly run: (tx: Transaction<Schema>) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (fault: unknown) => void;
  /** Ends its wait. */
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * Creates a runner of short write transactions that commits those which wait at the same moment as a group,
 * as syncing the disk takes longer than most of them. Each runs in a savepoint, after the others: it sees
 * what they wrote, and its own failure undoes nothing of theirs. All are answered after the commit.
 *
 * If a group fails as a whole, nothing of it is kept, and each of its transactions runs again on its own.
 */
export function createGroupCommit(
  options: GroupOptions,
  now: () => number = () => performance.now(),
): Transact {
  const { write, direct, mostWaitMs, begin, runsAgain } = options;
  const { mostMembers = MOST_MEMBERS, mostMs = MOST_MS } = options;
  let waiting: Member[] = [];
  let isScheduled = false;

  return <T>(run: (tx: Transaction<Schema>) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const timer = mostWaitMs === undefined ? undefined : setTimeout(giveUp, mostWaitMs);
      const member = { run, resolve: resolve as Member["resolve"], reject, timer };
      waiting.push(member);
      schedule();

      function giveUp() {
        waiting = waiting.filter((it) => it !== member);
        reject(databaseUnavailable(new Error("the writes before it take too long")));
      }
    });

  /** Starts the next group when the requests that have arrived by now are read. */
  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(async () => {
      const group = waiting.splice(0, mostMembers);
      for (const { timer } of group) clearTimeout(timer);
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
        const end = now() + mostMs;
        for (const [index, member] of group.entries()) {
          answers.push(await runInSavepoint(tx, member, `member_${index}`));
          if (now() >= end) break;
        }
      });
    } catch (fault) {
      const isRunAgain = hasBegun && (runsAgain?.(fault) ?? true);
      if (isRunAgain) for (const member of group) await commitAlone(member);
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
    return write.transaction().execute(async (tx) => {
      // The transaction holds the connection until it ends.
      if (direct !== undefined) runDirectly(tx, direct);
      return run(begin === undefined ? tx : await begin(tx));
    });
  }
}

/**
 * Runs a transaction in a savepoint and returns its answer, to be given once the group is committed. The name is the
 * group's only: what is sent ahead may fail after its savepoint is left, and must then undo no other.
 */
async function runInSavepoint(
  tx: Transaction<Schema>,
  { run, resolve, reject }: Member,
  name: string,
): Promise<() => void> {
  const { savepoint, release, rollback } = statementsOf(name);
  await sendAhead(tx, savepoint);
  try {
    const value = await run(tx);
    await sendAhead(tx, release);
    return () => resolve(value);
  } catch (fault) {
    if (runNow(tx, rollback) === undefined) await tx.executeQuery(rollback);
    await sendAhead(tx, release);
    return () => reject(fault);
  }
}

const STATEMENTS = new Map<string, ReturnType<typeof createStatements>>();

function statementsOf(name: string) {
  const known = STATEMENTS.get(name) ?? createStatements(name);
  STATEMENTS.set(name, known);
  return known;
}

const createStatements = (name: string) => ({
  savepoint: CompiledQuery.raw(`savepoint ${name}`),
  release: CompiledQuery.raw(`release ${name}`),
  rollback: CompiledQuery.raw(`rollback to ${name}`),
});
