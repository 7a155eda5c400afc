import { databaseUnavailable } from "../../domain/base/errors.ts";
import { TurnQueue } from "../../domain/base/turn-queue.ts";
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
 * writes, and its own failure undoes none of them. All return after the commit. The owners of those that wait take turns.
 *
 * If a group fails as a whole, none of its writes is kept, and each of its transactions runs again on its own.
 */
export class GroupCommit {
  readonly #options: GroupOptions;
  readonly #now: () => number;
  /** Those that wait, by owner. */
  readonly #waiting = new TurnQueue<Member>();
  #isScheduled = false;

  constructor(options: GroupOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** Runs a write transaction; its result is known once the group is committed. */
  run<T>(run: (tx: Tx) => Promise<T>, owner = ""): Promise<T> {
    const { mostWaitMs } = this.#options;
    return new Promise<T>((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.remove(owner, member);
        reject(databaseUnavailable(new Error("the writes before it take too long")));
      };
      const timer = mostWaitMs === undefined ? undefined : setTimeout(giveUp, mostWaitMs);
      const member = { run, resolve: resolve as Member["resolve"], reject, timer };
      this.#waiting.add(owner, member);
      this.#schedule();
    });
  }

  /** Starts the next group once the requests that have arrived are read. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.isEmpty) return;
    this.#isScheduled = true;
    setImmediate(async () => {
      const first = this.#take();
      if (first !== undefined) await this.#commit(first);
      this.#isScheduled = false;
      this.#schedule();
    });
  }

  /** Takes the transaction whose turn it is. */
  #take(): Member | undefined {
    const member = this.#waiting.take();
    clearTimeout(member?.timer);
    return member;
  }

  #takeAll(): Member[] {
    const all: Member[] = [];
    for (let next = this.#take(); next !== undefined; next = this.#take()) all.push(next);
    return all;
  }

  /** Commits a transaction, and with it those that wait. */
  async #commit(first: Member): Promise<void> {
    const { write, mostMembers = MOST_MEMBERS, mostMs = MOST_MS, runsAgain } = this.#options;
    if (mostMembers === 1 || this.#waiting.isEmpty) return this.#commitEach([first]);
    const group: Member[] = [];
    const responses: (() => void)[] = [];
    try {
      await write.transaction(async (tx) => {
        const end = this.#now() + mostMs;
        let next: Member | undefined = first;
        while (next !== undefined) {
          const { run, resolve, reject } = next;
          group.push(next);
          const response = await tx.transaction(run).then(
            (value) => () => resolve(value),
            (error: unknown) => () => reject(error),
          );
          responses.push(response);
          next = group.length < mostMembers && this.#now() < end ? this.#take() : undefined;
        }
      });
    } catch (error) {
      // Before the first one, those that wait would fail as well.
      if (group.length === 0) group.push(first, ...this.#takeAll());
      else if (runsAgain?.(error) ?? true) return this.#commitEach(group);
      for (const { reject } of group) reject(error);
      return;
    }
    for (const respond of responses) respond();
  }

  /** Commits each transaction on its own. */
  async #commitEach(members: readonly Member[]): Promise<void> {
    for (const { run, resolve, reject } of members) {
      await this.#options.write.transaction(run).then(resolve, reject);
    }
  }
}
