import type { Logger } from "pino";

/** How far the clock may be ahead of the time that has passed, in milliseconds. */
const TOLERANCE = 5 * 60_000;

/** How long a clock must go on as it is to be trusted again, and how much of it may be idle before a start, in milliseconds. */
const DAY = 24 * 3_600_000;

/** A moment on both clocks, in milliseconds. */
interface Moment {
  readonly wall: number;
  readonly passed: number;
}

/** The dependencies of a {@link TrustedClock}. */
export interface TrustedClockParts {
  /** The clock of the machine, which an operator or a time server may set. */
  readonly clock: () => Date;
  /** Milliseconds that have passed since some moment; default: the monotonic clock of the process. */
  readonly passed?: () => number;
  /** Finds the newest time that the database contains; undefined if it contains none. */
  readonly findNewest: () => Promise<Date | undefined>;
  readonly log: Logger;
}

/**
 * The clock of the retention. It is not trusted while it may be ahead, because a clock that jumps must delete nothing.
 *
 * | The clock is | Trusted |
 * | --- | --- |
 * | at the start, at most a day after the newest stored time | yes; later by more: the clock is wrong, or the last write is long ago |
 * | later, within five minutes of the last trusted time plus the time that has passed | yes |
 * | ahead of it: it jumped, or the machine was suspended, which stops the monotonic clock | no, until it is back |
 * | not trusted, but kept pace with the time that has passed for a day | yes: it was set right, or suspended or idle before |
 * | behind it | yes: it deletes later, not earlier |
 *
 * Only the first rule reads the database, once, because a process whose clock is wrong also stores wrong times.
 */
export class TrustedClock {
  readonly #parts: Required<TrustedClockParts>;
  /** The last trusted moment; before the first one, the newest stored time at the start. */
  #known: Moment | undefined;
  #isTrusted: boolean | undefined;
  /** The moment since which the clock is not trusted and keeps pace. */
  #doubted: Moment | undefined;

  constructor(parts: TrustedClockParts) {
    this.#parts = { passed: () => performance.now(), ...parts };
  }

  /** Returns the time; undefined while the clock is not trusted, which is logged when it changes. */
  async read(): Promise<Date | undefined> {
    const { clock, passed, findNewest, log } = this.#parts;
    const isFirst = this.#known === undefined;
    const newest = isFirst ? await findNewest() : undefined;
    const now: Moment = { wall: clock().getTime(), passed: passed() };
    this.#known ??= { ...now, wall: newest?.getTime() ?? now.wall };
    const ahead = measureAhead(now, this.#known);
    const mostAhead = this.#isTrusted === undefined ? DAY : TOLERANCE;
    if (ahead > mostAhead) {
      if (this.#doubted === undefined) {
        const fields = { ahead_seconds: Math.round(ahead / 1_000) };
        log.warn(
          fields,
          "clock may be ahead, deletes nothing until it is back or goes on for a day",
        );
      }
      if (this.#doubted === undefined || Math.abs(measureAhead(now, this.#doubted)) > TOLERANCE) {
        this.#doubted = now;
      }
      if (now.passed - this.#doubted.passed < DAY) return undefined;
    }
    if (this.#doubted !== undefined) log.warn("clock is trusted again, deletes what is old");
    this.#doubted = undefined;
    // A clock that is behind for a moment is not ahead when it is back.
    if (this.#isTrusted === undefined || ahead >= -TOLERANCE) this.#known = now;
    this.#isTrusted = true;
    return new Date(now.wall);
  }
}

/** Returns how far a moment is ahead of another one plus the time that has passed since, in milliseconds. */
function measureAhead(now: Moment, known: Moment): number {
  return now.wall - known.wall - (now.passed - known.passed);
}
