/** A work whose speed or size is a goal of the project. */
export interface Goal {
  readonly work: string;
  /** The value at the commit {@link BEFORE}. */
  readonly before: string;
  /** The least that is acceptable. */
  readonly bar: string;
  readonly goal: string;
}

/** The commit whose values the goals are compared with. */
export const BEFORE = "1a1faae";

/** The works with a goal, in the order of the printed table. */
export const GOALS = {
  hotList: {
    work: "hot `ListEvents` GET, 22 kB, default log level, of bare `node:http`, by wrk",
    ...{ before: "", bar: "0.75", goal: "0.90" },
  },
  hotPost: {
    work: "hot `ListEvents` by Connect POST, of the hot GET",
    ...{ before: "1/80", bar: "1/4", goal: "1/2" },
  },
  hotGrpc: {
    work: "hot `ListEvents` by gRPC, of the hot GET",
    ...{ before: "1/80", bar: "1/4", goal: "1/2" },
  },
  hotPage: {
    work: "hot home page by Connect POST, of its hot GET",
    ...{ before: "1/350", bar: "1/4", goal: "1/2" },
  },
  coldList: {
    work: "cold `ListEvents`, equality and range, newest 20 of 100,000, one core, of bare",
    ...{ before: "0.028", bar: "0.06", goal: "0.09" },
  },
  coldListCpu: {
    work: "cold `ListEvents`, equality and range, newest 20 of 100,000 (ms CPU)",
    ...{ before: "0.46", bar: "", goal: "" },
  },
  coldEventCpu: {
    work: "cold `GetEvent` (ms CPU)",
    ...{ before: "0.16 to 0.19", bar: "0.10", goal: "0.10" },
  },
  coldEvent: {
    work: "cold `GetEvent`, one core, of bare",
    ...{ before: "0.08", bar: "0.10", goal: "0.10" },
  },
  coldListPost: {
    work: "cold `ListEvents` by Connect POST, CPU of the same by GET",
    ...{ before: "3", bar: "1.3", goal: "1.2" },
  },
  coldEventPost: {
    work: "cold `GetEvent` by Connect POST, CPU of the same by GET",
    ...{ before: "3", bar: "1.3", goal: "1.2" },
  },
  coldPageCpu: {
    work: "cold home page with items (ms CPU)",
    ...{ before: "5.9", bar: "3", goal: "2" },
  },
  coldPage: {
    work: "cold home page with items, p50 (ms)",
    ...{ before: "14", bar: "", goal: "" },
  },
  patch: {
    work: "`PATCH` of a page component, synced, of bare",
    ...{ before: "0.028", bar: "0.04", goal: "0.05" },
  },
  start: {
    work: "start with a filled database (ms)",
    ...{ before: "416 to 491", bar: "420", goal: "400" },
  },
  memoryAtRest: {
    work: "memory at rest on a filled database (RSS, MB)",
    ...{ before: "158", bar: "130", goal: "120" },
  },
  memoryAfter: {
    work: "memory after reads and writes of every kind (RSS, MB)",
    ...{ before: "487", bar: "260", goal: "200" },
  },
  import: {
    work: "`marquee import` of 1,000,000 events (events/s)",
    ...{ before: "9,071", bar: "12,000", goal: "15,000" },
  },
  joined: {
    work: "two values joined, 1,000,000 events, p50 (ms)",
    ...{ before: "4.05", bar: "3", goal: "1.5" },
  },
} as const satisfies Record<string, Goal>;
