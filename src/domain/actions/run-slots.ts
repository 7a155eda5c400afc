/** Maximum numbers of runs that one process sends concurrently. */
export interface RunSlotLimits {
  readonly total: number;
  readonly organization: number;
  readonly project: number;
  /** To one host, from all projects. */
  readonly host: number;
  /** To one host from one project. */
  readonly receiver: number;
}

/**
 * The default limits. Each level leaves slots to its siblings: an unresponsive receiver to the other
 * receivers of its project, a project to the others of its organization, an organization to the others;
 * and no organization alone fills a host's slots.
 */
export const RUN_SLOT_LIMITS: RunSlotLimits = {
  total: 128,
  organization: 48,
  project: 24,
  host: 64,
  receiver: 16,
};

/** The time for which a host rests, in milliseconds. */
const REST = 30_000;

/** The owner and the target host of a run. */
export interface RunHolder {
  readonly organizationId: string;
  readonly projectId: string;
  /** In lower case, without port; empty for a run without target, which takes no host slot. */
  readonly host: string;
}

/** Counts the runs being sent and enforces {@link RunSlotLimits}. */
export interface RunSlots {
  /** Returns the number of free slots of the process. */
  countFree(): number;
  /** Lists the organizations, or the projects, without a free slot. */
  listFull(level: "organization" | "project"): string[];
  /** Reports whether the holder's host has a free slot and does not rest; does not check project and organization. */
  hasHost(holder: RunHolder, now: Date): boolean;
  /** Keeps the runs to a host waiting for 30 seconds, so that they take no slots in vain. */
  rest(host: string, now: Date): void;
  /** Takes a slot. */
  take(holder: RunHolder): void;
  /** Releases a slot that was taken. */
  give(holder: RunHolder): void;
  /** Returns an independent copy of the current counts, to plan ahead. */
  copy(): RunSlots;
}

type Level = keyof RunSlotLimits;
type Counts = Readonly<Record<Level, Map<string, number>>>;

/** Creates slots, all of them free. */
export function createRunSlots(limits: RunSlotLimits = RUN_SLOT_LIMITS): RunSlots {
  const empty = () => new Map<string, number>();
  const counts = {
    total: empty(),
    organization: empty(),
    project: empty(),
    host: empty(),
    receiver: empty(),
  };
  return openSlots(limits, counts, empty());
}

/** Opens slots; `resting` are the ends of the rests of hosts, in milliseconds since 1970. */
function openSlots(limits: RunSlotLimits, counts: Counts, resting: Map<string, number>): RunSlots {
  const count = (level: Level, key: string) => counts[level].get(key) ?? 0;
  const add = (holder: RunHolder, by: 1 | -1) => {
    for (const [level, key] of keysOf(holder)) {
      const next = count(level, key) + by;
      if (next === 0) counts[level].delete(key);
      else counts[level].set(key, next);
    }
  };
  return {
    countFree: () => limits.total - count("total", ""),
    listFull: (level) =>
      [...counts[level]].filter(([, taken]) => taken >= limits[level]).map(([id]) => id),
    hasHost: (holder, now) =>
      (resting.get(holder.host) ?? 0) <= now.getTime() &&
      keysOf(holder).every(([level, key]) => {
        const isHost = level === "host" || level === "receiver";
        return !isHost || count(level, key) < limits[level];
      }),
    rest(host, now) {
      for (const [other, end] of resting) if (end <= now.getTime()) resting.delete(other);
      resting.set(host, now.getTime() + REST);
    },
    take: (holder) => add(holder, 1),
    give: (holder) => add(holder, -1),
    copy() {
      const copies = {
        total: new Map(counts.total),
        organization: new Map(counts.organization),
        project: new Map(counts.project),
        host: new Map(counts.host),
        receiver: new Map(counts.receiver),
      };
      return openSlots(limits, copies, new Map(resting));
    },
  };
}

function keysOf({ organizationId, projectId, host }: RunHolder): (readonly [Level, string])[] {
  const owners = [
    ["total", ""],
    ["organization", organizationId],
    ["project", projectId],
  ] as const;
  if (host === "") return [...owners];
  return [...owners, ["host", host], ["receiver", JSON.stringify([projectId, host])]];
}
