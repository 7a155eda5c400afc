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
}
