import type { Plan } from "./options.ts";
import type { Servers } from "./servers.ts";
import type { Table } from "./table.ts";

/** The tools of a section of the benchmarks. */
export interface Bench {
  readonly plan: Plan;
  readonly table: Table;
  readonly servers: Servers;
}

/** Measures some works and adds them to the table. */
export type Section = (bench: Bench) => Promise<void>;
