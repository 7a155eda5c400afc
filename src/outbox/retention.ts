import type { HistoryPlace, Store } from "../storage/store.ts";

const DAY = 24 * 3_600_000;

const MIB = 2 ** 20;

/** The retention of ended runs, in milliseconds. */
const KEPT = 30 * DAY;

/** The minimum retention of the newest changes of a resource, in milliseconds. */
const NEWEST_KEPT = 365 * DAY;

/** The number of runs and of changes to delete or examine in one step. */
const AT_ONCE = 500;

/** Deletes ended runs and old changes, in small steps. */
export class Retention {
  readonly #store: Pick<Store, "actionRuns" | "history">;
  readonly #history: number;
  readonly #historyBytes: number;
  /** The place of the last change that was examined. */
  #examined: HistoryPlace | undefined;

  /**
   * Changes are kept `historyDays`, the newest of each resource a year at least. The oldest changes of a project with
   * more than `historyMib` of changes are not kept.
   */
  constructor(
    store: Pick<Store, "actionRuns" | "history">,
    { historyDays = 90, historyMib = 1_024 }: { historyDays?: number; historyMib?: number },
  ) {
    this.#store = store;
    this.#history = historyDays * DAY;
    this.#historyBytes = historyMib * MIB;
  }

  /** Deletes what is kept no longer at `now`, in milliseconds; returns whether there may be more. */
  async step(now: number): Promise<boolean> {
    const { actionRuns, history } = this.#store;
    const runs = await actionRuns.prune(new Date(now - KEPT), AT_ONCE);
    const kept = {
      any: new Date(now - this.#history),
      newest: new Date(now - Math.max(this.#history, NEWEST_KEPT)),
      bytes: this.#historyBytes,
    };
    this.#examined = await history.prune(kept, this.#examined, AT_ONCE);
    return runs === AT_ONCE || this.#examined !== undefined;
  }
}
