/** The characters of a request that take one slot: requests are in memory while they are sent. */
const SLOT_CHARACTERS = 2 ** 18;

/** Returns the slots that a run with a request of so many characters takes. */
export function countSlots(characters: number): number {
  return Math.ceil(characters / SLOT_CHARACTERS);
}

/** Maximum numbers of slots of the runs that one process sends concurrently. A run may begin below a limit and exceed it. */
interface RunSlotLimits {
  readonly total: number;
  readonly organization: number;
  readonly project: number;
  /** To one host, from all projects. */
  readonly host: number;
  /** To one host from one project. */
  readonly receiver: number;
}

/**
 * The default limits. Each level leaves slots to its siblings: one unresponsive receiver, project or organization
 * cannot take every slot of the level above. No organization alone fills a host's slots.
 */
export const RUN_SLOT_LIMITS: RunSlotLimits = {
  total: 128,
  organization: 48,
  project: 24,
  host: 64,
  receiver: 16,
};

/** How long a host rests, in milliseconds. */
const REST = 30_000;

/** The owner and the target host of a run. */
export interface RunPlace {
  readonly organizationId: string;
  readonly projectId: string;
  /** In lower case, without port; empty for a run without target, which takes no host slot. */
  readonly host: string;
}

/** A run that takes slots, at each level of its place. */
export interface RunHolder extends RunPlace {
  readonly slots: number;
}

type Level = keyof RunSlotLimits;

/** Counts the runs being sent and enforces {@link RunSlotLimits}. */
export class RunSlots {
  readonly #limits: RunSlotLimits;
  /** The runs being sent, by the level and the key of each of their slots. */
  readonly #counts: Map<string, number>;
  /** The ends of the rests of hosts, in milliseconds since 1970. */
  readonly #resting: Map<string, number>;

  /** `counts` and `resting` are copied; default: all slots are free. */
  constructor(
    limits: RunSlotLimits = RUN_SLOT_LIMITS,
    counts: ReadonlyMap<string, number> = new Map(),
    resting: ReadonlyMap<string, number> = new Map(),
  ) {
    this.#limits = limits;
    this.#counts = new Map(counts);
    this.#resting = new Map(resting);
  }

  /** Returns the number of free slots of the process. */
  countFree(): number {
    return Math.max(0, this.#limits.total - this.#count("total", ""));
  }

  /** Lists the organizations, or the projects, without a free slot. */
  listFull(level: "organization" | "project"): string[] {
    return [...this.#counts]
      .filter(([slot, taken]) => slot.startsWith(`${level} `) && taken >= this.#limits[level])
      .map(([slot]) => slot.slice(level.length + 1));
  }

  /** Reports whether the host of a place has a free slot and does not rest; does not check project and organization. */
  hasHost(place: RunPlace, now: Date): boolean {
    const left = (this.#resting.get(place.host) ?? 0) - now.getTime();
    // A rest that would last longer began before the clock was set back.
    if (left > 0 && left <= REST) return false;
    return keysOf(place).every(([level, key]) => {
      const isHost = level === "host" || level === "receiver";
      return !isHost || this.#count(level, key) < this.#limits[level];
    });
  }

  /** Keeps the runs to a host waiting for 30 seconds, so that they do not occupy slots while the host fails. */
  rest(host: string, now: Date): void {
    for (const [other, end] of this.#resting) {
      if (end <= now.getTime()) this.#resting.delete(other);
    }
    this.#resting.set(host, now.getTime() + REST);
  }

  /** Takes the slots of a run. */
  take(holder: RunHolder): void {
    this.#add(holder, holder.slots);
  }

  /** Releases slots that were taken. */
  give(holder: RunHolder): void {
    this.#add(holder, -holder.slots);
  }

  /** Returns an independent copy of the current counts, to plan ahead. */
  copy(): RunSlots {
    return new RunSlots(this.#limits, this.#counts, this.#resting);
  }

  #count(level: Level, key: string): number {
    return this.#counts.get(`${level} ${key}`) ?? 0;
  }

  #add(place: RunPlace, by: number): void {
    for (const [level, key] of keysOf(place)) {
      const next = this.#count(level, key) + by;
      if (next === 0) this.#counts.delete(`${level} ${key}`);
      else this.#counts.set(`${level} ${key}`, next);
    }
  }
}

function keysOf({ organizationId, projectId, host }: RunPlace): (readonly [Level, string])[] {
  const owners = [
    ["total", ""],
    ["organization", organizationId],
    ["project", projectId],
  ] as const;
  if (host === "") return [...owners];
  return [...owners, ["host", host], ["receiver", JSON.stringify([projectId, host])]];
}
