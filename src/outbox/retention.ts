import type { HistoryPlace } from "../storage/contract/history.ts";
import type { Store } from "../storage/contract/store.ts";
import type { TrustedClock } from "./trusted-clock.ts";

const DAY = 24 * 3_600_000;

/** The minimum retention of the newest changes of a resource, in milliseconds. */
const NEWEST_KEPT = 365 * DAY;

/** The number of rows of a table to delete or examine in one step. */
const AT_ONCE = 500;

/** The pause between two steps, in milliseconds. */
const STEP_PAUSE = 100;

/** The pause after all that is old was deleted, in milliseconds. */
const IDLE_PAUSE = 3_600_000;

/** The pause while the clock is not trusted, in milliseconds. */
const DOUBT_PAUSE = 1_000;

/** The stores that {@link Retention} deletes from. */
type Kept = Pick<Store, "actionRuns" | "audit" | "contentPaths" | "history" | "storedResponses">;

/** How long data is kept. */
export interface RetentionOptions {
  /** The days that changes are kept, the newest of each resource a year at least; absent: 90. */
  readonly historyDays?: number;
  /** The most that is kept of the changes of a project, in MiB; absent: 1,024. */
  readonly historyMib?: number;
  /** The days that ended runs are kept; absent: 30. */
  readonly runDays?: number;
  /** The days that audit entries are kept; 0 or absent: they are not deleted. */
  readonly auditDays?: number;
}

/** The default of `historyMib`. */
export const HISTORY_MIB = 1_024;

/**
 * Deletes what is kept no longer, in small steps: ended runs, changes, audit entries, responses to request ids, and paths
 * without values.
 */
export class Retention {
  readonly #store: Kept;
  readonly #clock: Pick<TrustedClock, "read">;
  readonly #options: Required<RetentionOptions>;
  /** The place of the last change that was examined. */
  #examined: HistoryPlace | undefined;
  /** The organization whose audit entries were examined last. */
  #audited: string | undefined;
  /** The number of the path that was examined last. */
  #path: number | undefined;

  constructor(store: Kept, clock: Pick<TrustedClock, "read">, options: RetentionOptions = {}) {
    this.#store = store;
    this.#clock = clock;
    const defaults = { historyDays: 90, historyMib: HISTORY_MIB, runDays: 30, auditDays: 0 };
    this.#options = { ...defaults, ...options };
  }

  /** Deletes a part of what is kept no longer; returns the pause before the next step, in milliseconds. */
  async step(): Promise<number> {
    const now = await this.#clock.read();
    if (now === undefined) return DOUBT_PAUSE;
    const { actionRuns, audit, contentPaths, history, storedResponses } = this.#store;
    const { historyDays, historyMib, runDays, auditDays } = this.#options;
    const before = (days: number) => new Date(now.getTime() - days * DAY);
    const responses = await storedResponses.prune(now, AT_ONCE);
    const runs = await actionRuns.prune(before(runDays), AT_ONCE);
    const kept = {
      any: before(historyDays),
      newest: new Date(now.getTime() - Math.max(historyDays * DAY, NEWEST_KEPT)),
      bytes: historyMib * 2 ** 20,
    };
    this.#examined = await history.prune(kept, this.#examined, AT_ONCE);
    if (auditDays > 0) this.#audited = await audit.prune(before(auditDays), this.#audited, AT_ONCE);
    this.#path = await contentPaths.prune(this.#path, AT_ONCE);
    const isDone =
      responses === 0 &&
      runs === 0 &&
      this.#examined === undefined &&
      this.#path === undefined &&
      this.#audited === undefined;
    return isDone ? IDLE_PAUSE : STEP_PAUSE;
  }
}
