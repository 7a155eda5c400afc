import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { WorkBudget } from "../../src/domain/base/work-budget.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { readCpu } from "../harness/cpu-time.ts";
import { ENGINE } from "../harness/engine.ts";
import { createFolder } from "../harness/folder.ts";
import { createDatabase, dropDatabase } from "../harness/postgres-databases.ts";
import { copyTemplate } from "../harness/template-databases.ts";
import { LONGEST_TURN } from "../harness/turns.ts";

/** The most CPU time of one statement, and of one step without a pause, in milliseconds. */
export const MOST_MS = LONGEST_TURN;

/** What took how long. */
export interface Cost {
  readonly what: string;
  readonly ms: number;
}

let costs: Cost[] = [];

/** Returns the costs of the statements and steps since it was last called. */
export function takeCosts(): readonly Cost[] {
  const taken = costs;
  costs = [];
  return taken;
}

/** CPU of another process, in milliseconds. */
function readCpuOf(pid: number): number {
  const [nanoseconds = "0"] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}

/** A budget that measures the CPU time of each step that nothing interrupts. */
export class MeasuredBudget extends WorkBudget {
  override count<T>(step: () => T): T {
    const before = readCpu();
    const result = super.count(step);
    costs.push({ what: "step", ms: readCpu() - before });
    return result;
  }
}

/** A connection that measures the CPU time of the server for each statement. */
class MeasuredClient extends pg.Client {
  override query(...args: [never]) {
    const [config] = args as [{ readonly text?: string; readonly submit?: unknown } | string];
    if (typeof config === "string" || config.submit !== undefined) return super.query(...args);
    return this.#measure(config.text ?? "", () => super.query(...args)) as never;
  }

  async #measure(what: string, run: () => Promise<unknown>): Promise<unknown> {
    // pg does not declare what PostgreSQL calls the number of its process.
    const { processID } = this as unknown as { readonly processID: number };
    const before = readCpuOf(processID);
    const result = await run();
    costs.push({ what, ms: readCpuOf(processID) - before });
    return result;
  }
}

/** Opens an empty database of {@link ENGINE}, and {@link takeCosts} returns the cost of each statement. */
export async function openMeasuredStore(): Promise<{ store: Store; close(): Promise<void> }> {
  const { store, remove } = await (ENGINE === "sqlite" ? openFile() : openOnServer());
  return {
    store,
    async close() {
      await store.close();
      await remove();
    },
  };
}

async function openFile() {
  const { path: folder, remove } = createFolder();
  const path = join(folder, "marquee.db");
  copyTemplate("empty", path);
  return { store: openSqliteStore(path, { synchronous: "OFF" }), remove };
}

async function openOnServer() {
  const { name, url } = await createDatabase("empty");
  const Client = MeasuredClient as unknown as typeof pg.Client;
  const store = await openPostgresStore({ engine: "postgres", url }, { Client });
  return { store, remove: () => dropDatabase(name) };
}
