import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readMemory } from "../../test/harness/process-usage.ts";
import { median } from "./load.ts";
import type { Bench } from "./section.ts";

/** Measures how long Marquee takes from its start until it is ready, with the demo in the database. */
export async function measureStart({ plan, table, servers }: Bench): Promise<void> {
  // The first start loads the demo, the second one uses what the first one compiled.
  for (let start = 0; start < 2; start += 1) await (await servers.serveDemo()).server.stop();
  const times: number[] = [];
  for (let start = 0; start < plan.starts; start += 1) {
    const { server } = await servers.serveDemo();
    times.push(server.startTime);
    await server.stop();
  }
  table.addGoal("start", median(times));
  await compareStudio({ plan, table, servers });
}

/** Compares starts with and without the studio, in alternation (case 22 of the studio). */
async function compareStudio({ plan, table, servers }: Bench): Promise<void> {
  const database = `sqlite:${join(servers.folder, "demo.db")}`;
  const measured = [[], ["--studio"]].map((flags) => ({
    ...{ flags, times: [] as number[], memory: [] as number[] },
  }));
  for (let start = 0; start < plan.starts; start += 1) {
    for (const { flags, times, memory } of measured) {
      const server = await servers.serve(database, { flags });
      times.push(server.startTime);
      await sleep(plan.rest * 1_000);
      memory.push(readMemory(server.pid));
      await server.stop();
    }
  }
  const [without, studio] = measured;
  const ratio = (name: "times" | "memory") =>
    median(studio?.[name] ?? []) / median(without?.[name] ?? []);
  table.add("start with `--studio`, of the same without", ratio("times"), "about 1");
  table.add("memory at rest with `--studio`, of the same without", ratio("memory"), "about 1");
}
