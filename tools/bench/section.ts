import type { Plan } from "./options.ts";
import type { Servers } from "./servers.ts";
import type { Table } from "./table.ts";

/** What a section of the benchmarks measures with. */
export interface Bench {
  readonly plan: Plan;
  readonly table: Table;
  readonly servers: Servers;
}

/** Measures some works and adds them to the table. */
export type Section = (bench: Bench) => Promise<void>;
