import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { createDemoDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { OUTBOX_FLAGS, startOutboxLoad } from "./outbox-load.ts";
import { startService } from "./service.ts";

/** Kills one worker of two again and again, while others write and actions are sent. */
export const fault: Fault = {
  title: "SIGKILL of a worker under writes",
  engines: ["sqlite", "postgres"],

  async run(run) {
    const kills = run.isQuick ? 5 : 100;
    const database = await createDemoDatabase();
    const token = database.credentials.accounts.owner;
    const flags = ["--workers", "2", ...OUTBOX_FLAGS];
    const service = await startService({ database: database.setting, flags });
    const { url } = service;
    const load = await startOutboxLoad(url, token);
    const killed = new Set<number>();
    while (killed.size < kills) {
      const workers = await listWorkers(service.pid, killed);
      await load.writers.acknowledge(20);
      // Any moment of the work of a worker.
      await setTimeout(Math.random() * 200);
      const victim = workers[killed.size % 2] ?? 0;
      process.kill(victim, "SIGKILL");
      killed.add(victim);
    }
    run.report("kills", kills);
    await load.finish(run);
    run.check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await database.close();
  },
};

/** Waits until a process has two children that were not killed, and returns them in the order of their start. */
async function listWorkers(pid: number, killed: ReadonlySet<number>): Promise<readonly number[]> {
  const end = performance.now() + 30_000;
  while (performance.now() < end) {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    const children = text.split(" ").filter((it) => it !== "");
    const workers = children.map(Number).filter((it) => !killed.has(it));
    if (workers.length === 2) return workers;
    await setTimeout(10);
  }
  throw new Error(`process ${pid} does not have two workers`);
}
