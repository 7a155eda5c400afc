/** How many runs are sent at the same time by one process, in all and of the same kind. */
export interface RunSlotLimits {
  readonly total: number;
  readonly organization: number;
  readonly project: number;
  /** To one host, by whichever projects. */
  readonly host: number;
  /** To one host by one project. */
  readonly receiver: number;
}

/**
 * The limits of a process: a receiver that does not answer leaves slots to the other receivers of its
 * project, a project to the others of its organization, an organization to the others, and no organization
 * alone fills what is open to a host.
 */
export const RUN_SLOT_LIMITS: RunSlotLimits = {
  ...{ total: 128, organization: 48, project: 24 },
  ...{ host: 64, receiver: 16 },
};

/** Whom a run is sent for, and where it goes. */
export interface RunHolder {
  readonly organizationId: string;
  readonly projectId: string;
  /** In lower case, without a port; empty: nowhere, which takes no slot of a host. */
  readonly host: string;
}

/** The slots that runs are sent in. */
export interface RunSlots {
  /** How many more runs may be sent in all. */
  countFree(): number;
  /** Lists the organizations, or the projects, that have no slot left. */
  listFull(level: "organization" | "project"): string[];
  /** Tells whether a run of the holder has a slot at its host; that of its project is another matter. */
  hasHost(holder: RunHolder): boolean;
  /** Takes a slot. */
  take(holder: RunHolder): void;
  /** Gives a slot back that was taken. */
  give(holder: RunHolder): void;
  /** Copies the slots as they are taken now, so that a plan can be made that is not carried out yet. */
  copy(): RunSlots;
}

type Level = keyof RunSlotLimits;
type Counts = Readonly<Record<Level, Map<string, number>>>;

/** Creates slots, none of them taken. */
export function createRunSlots(limits: RunSlotLimits = RUN_SLOT_LIMITS): RunSlots {
  const empty = () => new Map<string, number>();
  return openSlots(limits, {
    ...{ total: empty(), organization: empty(), project: empty() },
    ...{ host: empty(), receiver: empty() },
  });
}

function openSlots(limits: RunSlotLimits, counts: Counts): RunSlots {
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
    hasHost: (holder) =>
      keysOf(holder).every(([level, key]) => {
        const isHost = level === "host" || level === "receiver";
        return !isHost || count(level, key) < limits[level];
      }),
    take: (holder) => add(holder, 1),
    give: (holder) => add(holder, -1),
    copy: () =>
      openSlots(limits, {
        total: new Map(counts.total),
        organization: new Map(counts.organization),
        project: new Map(counts.project),
        host: new Map(counts.host),
        receiver: new Map(counts.receiver),
      }),
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
