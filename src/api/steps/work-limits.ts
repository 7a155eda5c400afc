import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  RecordService,
  WriteMode,
  type WriteRecordsRequest,
} from "../../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import {
  ReleaseService,
  type UpdateReleaseRequest,
} from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { GroupTurnQueue } from "../../domain/base/turn-queue.ts";
import { WORK_LIMITS, WorkBudget } from "../../domain/base/work-budget.ts";
import { otherCheckRuns } from "../../domain/releases/release.ts";
import { type Caller, callerKeyOf, organizationOf } from "./incoming-call.ts";

/** The time that a rejected caller is asked to wait, in seconds. */
const RETRY_AFTER = 1;

/** How long calls begin in one turn of the event loop, in milliseconds. */
const TURN = 20;

/** The clock and the turns that budgets run on. */
interface WorkDependencies {
  /** The time in milliseconds, by a monotonic clock. */
  readonly clock: () => number;
  readonly turns: Pick<WorkTurns, "pause">;
  /** The turns of writes: other writes wait for a transaction, so calls that only read do not delay it. */
  readonly writeTurns: Pick<WorkTurns, "pause">;
}

/**
 * Gives each call its budget and limits how many expensive calls of one project's keys, or of one account, run at
 * the same time: RESOURCE_EXHAUSTED `EXPENSIVE_READS_LIMIT` beyond that. A call becomes expensive by the time its
 * reads take, so a cheap one is never rejected.
 */
export class WorkLimits {
  readonly #dependencies: WorkDependencies;
  /** The number of expensive calls in progress, by caller. */
  readonly #expensive = new Map<string, number>();

  constructor(dependencies: WorkDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs a call of a caller with its budget; `signal` is aborted when the caller no longer waits. */
  async run<T>(
    caller: Caller,
    signal: AbortSignal,
    call: (budget: WorkBudget) => Promise<T>,
  ): Promise<T> {
    const { clock, turns } = this.#dependencies;
    const key = callerKeyOf(caller);
    let isCounted = false;
    const onExpensive = () => {
      const count = this.#expensive.get(key) ?? 0;
      if (count >= WORK_LIMITS.expensiveAtOnce) throw tooManyExpensive();
      this.#expensive.set(key, count + 1);
      isCounted = true;
    };
    const organizationId = organizationOf(caller);
    const pause = () => turns.pause(caller);
    const budget = new WorkBudget({ clock, pause, organizationId, signal, onExpensive });
    try {
      // The caller may have gone while the call waited for its turn.
      await budget.nextStep();
      return await call(budget);
    } finally {
      if (isCounted) this.#release(key);
    }
  }

  /** Runs a write of a caller with its budget. It is never expensive: writes wait for each other. */
  async runWrite<T>(
    caller: Caller,
    signal: AbortSignal,
    call: (budget: WorkBudget) => Promise<T>,
  ): Promise<T> {
    const { clock, writeTurns } = this.#dependencies;
    const pause = () => writeTurns.pause(caller);
    const budget = new WorkBudget({ clock, pause, signal });
    await budget.nextStep();
    return call(budget);
  }

  #release(key: string): void {
    const count = this.#expensive.get(key) ?? 0;
    if (count > 1) this.#expensive.set(key, count - 1);
    else this.#expensive.delete(key);
  }
}

/**
 * Shares the one thread between organizations, and the turns of each between its callers: each gets the same number,
 * regardless of how many calls it makes. Each turn of the event loop continues one waiting call, so that any other event,
 * such as a health check, waits for at most one call.
 */
export class WorkTurns {
  readonly #now: () => number;
  /** The calls that wait, by organization and caller. */
  readonly #waiting = new GroupTurnQueue<() => void>();
  /** When calls stop beginning in this turn of the event loop; undefined before its first call. */
  #turnEnd: number | undefined;

  /** `now` is the time in milliseconds by a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Lets a call begin; returns a promise if it has to wait for its turn. */
  begin(caller: Caller): Promise<void> | undefined {
    this.#turnEnd ??= this.#openTurn();
    if (this.#waiting.isEmpty && this.#now() < this.#turnEnd) return undefined;
    return this.pause(caller);
  }

  /** Resolves when it is the turn of a call that has used up its slice. */
  pause(caller: Caller): Promise<void> {
    this.#turnEnd ??= this.#openTurn();
    const [organizationId, key] = [organizationOf(caller), callerKeyOf(caller)];
    return new Promise((resolve) => this.#waiting.add(organizationId, key, resolve));
  }

  #openTurn(): number {
    setImmediate(() => {
      this.#turnEnd = undefined;
      const next = this.#waiting.take();
      if (next === undefined) return;
      this.#turnEnd = this.#openTurn();
      next();
    });
    return this.#now() + TURN;
  }
}

function tooManyExpensive(): DomainError {
  const limit = WORK_LIMITS.expensiveAtOnce;
  return new DomainError(
    Code.RESOURCE_EXHAUSTED,
    "EXPENSIVE_READS_LIMIT",
    `${limit} expensive reads of this caller are in progress; wait for one to end, or narrow the filter`,
    { metadata: { limit: String(limit) }, retryAfter: RETRY_AFTER },
  );
}

/** Lets one check of many writes of an organization run at a time in this process. */
export class CheckSlots {
  readonly #organizations = new Set<string>();

  /** Runs a check. RESOURCE_EXHAUSTED `RELEASE_CHECK_LIMIT` while another one of the organization runs. */
  async run<T>(organizationId: string, check: () => Promise<T>): Promise<T> {
    if (this.#organizations.has(organizationId)) throw otherCheckRuns();
    this.#organizations.add(organizationId);
    try {
      return await check();
    } finally {
      this.#organizations.delete(organizationId);
    }
  }
}

/**
 * Reports whether a call tries many writes and rolls them back: it checks a release, gives it a time, or writes each of
 * many records in a dry run.
 */
export function isCheckOfMany(method: DescMethod, message: Message): boolean {
  switch (method) {
    case ReleaseService.method.checkRelease:
      return true;
    case ReleaseService.method.updateRelease: {
      const { release, updateMask } = message as UpdateReleaseRequest;
      const paths = updateMask?.paths ?? [];
      const isTimed = release?.applyTime !== undefined && paths.includes("apply_time");
      return isTimed || paths.includes("conflict_policy");
    }
    case RecordService.method.writeRecords: {
      const { mode, validateOnly } = message as WriteRecordsRequest;
      return validateOnly && mode === WriteMode.EACH;
    }
    default:
      return false;
  }
}
