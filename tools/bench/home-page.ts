import { measureLatencies } from "./latency.ts";
import { byGet, homePage } from "./requests.ts";
import type { Bench } from "./section.ts";

/** Measures the demo's home page with items, without a cache, one request after the other. */
export async function measureHomePage({ plan, table, servers }: Bench): Promise<void> {
  const { server: marquee, demo } = await servers.serveDemo({ flags: ["--cache-mib", "0"] });
  const call = homePage({ authorization: `Bearer ${demo.projects[0]?.public_key}` });
  const page = byGet(marquee, call);
  const bare = byGet(await servers.startPeer("bare", page), call);
  const measured = await measureLatencies({ page, bare }, plan);
  table.addGoal("coldPageCpu", measured.page.cpu);
  table.addGoal("coldPage", measured.page.p50);
  table.add("bare `node:http`, the same page (ms CPU)", measured.bare.cpu);
  table.add("bare `node:http`, the same page, p50 (ms)", measured.bare.p50);
}
