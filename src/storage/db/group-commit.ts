import { databaseUnavailable } from "../../domain/base/errors.ts";
import type { Db, Tx } from "./db.ts";

/** How transactions are committed in groups. */
export interface GroupOptions {
  readonly write: Pick<Db, "transaction">;
  /** Maximum number of transactions in a group; default: 64. */
  readonly mostMembers?: number;
  /** How long a group accepts transactions, in milliseconds; default: 5. */
  readonly mostMs?: number;
  /** Maximum time that a transaction waits for earlier ones, in milliseconds; default: no maximum. */
  readonly mostWaitMs?: number;
  /** Decides whether the transactions of a group that failed run again, each on its own; default: always. */
  runsAgain?(error: unknown): boolean;
}

/** The default maximum number of transactions in a group. */
const MOST_MEMBERS = 64;

/** The default time that a group accepts transactions, in milliseconds. */
const MOST_MS = 5;

/** A transaction that waits for its turn. */
interface Member {
  readonly run: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Ends its wait. */
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * Runs short write transactions, and commits the transactions that wait at the same moment as a group, because
 * syncing the disk takes longer than most of them. Each is a part of one transaction, after the others: it sees their
 * writes, and its own failure undoes none of them. All return after the commit.
 *
 * If a group fails as a whole, none of its writes is kept, and each of its transactions runs again on its own.
 */
export class GroupCommit {
  readonly #options: GroupOptions;
  readonly #now: () => number;
  #waiting: Member[] = [];
  #isScheduled = false;

  constructor(options: GroupOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** Runs a write transaction; its result is known once the group is committed. */
  run<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    const { mostWaitMs } = this.#options;
    return new Promise<T>((resolve, reject) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== member);
        reject(databaseUnavailable(new Error("the writes before it take too long")));
      };
      const timer = mostWaitMs === undefined ? undefined : setTimeout(giveUp, mostWaitMs);
      const member = { run, resolve: resolve as Member["resolve"], reject, timer };
      this.#waiting.push(member);
      this.#schedule();
    });
  }

  /** Starts the next group once the requests that have arrived are read. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(async () => {
      const group = this.#waiting.splice(0, this.#options.mostMembers ?? MOST_MEMBERS);
      for (const { timer } of group) clearTimeout(timer);
      this.#waiting.unshift(...(await this.#commit(group)));
      this.#isScheduled = false;
      this.#schedule();
    });
  }

  /** Commits a group, and returns the members left for the next group because the time is up. */
  async #commit(group: readonly Member[]): Promise<readonly Member[]> {
    const { write, mostMs = MOST_MS, runsAgain } = this.#options;
    const [first] = group;
    if (group.length === 1 && first !== undefined) {
      await this.#commitAlone(first);
      return [];
    }
    const responses: (() => void)[] = [];
    let hasBegun = false;
    try {
      await write.transaction(async (tx) => {
        hasBegun = true;
        const end = this.#now() + mostMs;
        for (const { run, resolve, reject } of group) {
          const response = await tx.transaction(run).then(
            (value) => () => resolve(value),
            (error: unknown) => () => reject(error),
          );
          responses.push(response);
          if (this.#now() >= end) break;
        }
      });
    } catch (error) {
      const isRunAgain = hasBegun && (runsAgain?.(error) ?? true);
      if (isRunAgain) for (const member of group) await this.#commitAlone(member);
      else for (const { reject } of group) reject(error);
      return [];
    }
    for (const respond of responses) respond();
    return group.slice(responses.length);
  }

  async #commitAlone({ run, resolve, reject }: Member): Promise<void> {
    await this.#options.write.transaction(run).then(resolve, reject);
  }
}
