import { readFileSync } from "node:fs";
import { join } from "node:path";
import { keepOffServerCore, SERVER_CORE } from "./cores.ts";
import { type Load, measureLoads } from "./load.ts";
import type { ServerProcess } from "./processes.ts";
import { byGet, byGrpc, byPost, firstEvents, homePage, readResponse } from "./requests.ts";
import type { Bench } from "./section.ts";
import type { PeerKind } from "./servers.ts";

/**
 * Measures responses from the cache: a list and the home page of the demo, over every protocol. Every server runs on
 * the same core and the load on the other, so that they do not compete.
 */
export function measureHotReads(bench: Bench): Promise<void> {
  return keepOffServerCore(() => measure(bench));
}

async function measure({ plan, table, servers }: Bench): Promise<void> {
  const core = SERVER_CORE;
  const { server: marquee, demo } = await servers.serveDemo({ core });
  const log = join(servers.folder, "access.log");
  const { server: logging } = await servers.serveDemo({ log, core });
  const credential = { authorization: `Bearer ${demo.projects[0]?.public_key}` };
  const list = firstEvents(credential);
  const page = homePage(credential);
  const hotList = byGet(marquee, list);
  const hotPage = byGet(marquee, page);
  const startPeer = (kind: PeerKind, like: Load) => servers.startPeer(kind, like, { core });
  const bareList = byGet(await startPeer("bare", hotList), list);
  const measured = await measureLoads(
    new Map<string, Load>([
      ["bare list", bareList],
      ["list, logged", byGet(logging, list)],
      ["bare list by wrk", { ...bareList, byWrk: true }],
      ["list, logged, by wrk", { ...byGet(logging, list), byWrk: true }],
      ["list", hotList],
      ["304", await toConditional(hotList)],
      ["list by POST", byPost(marquee, list)],
      ["list by gRPC", byGrpc(marquee, list)],
      ["bare gRPC", byGrpc(await startPeer("bare-http2", hotList), list)],
      ["connect list", byGet(await startPeer("connect", hotList), list)],
      ["connect list by POST", byPost(await startPeer("connect", hotList), list)],
      ["connect list by gRPC", byGrpc(await startPeer("connect-http2", hotList), list)],
      ["bare page", byGet(await startPeer("bare", hotPage), page)],
      ["page", hotPage],
      ["page by POST", byPost(marquee, page)],
      ["page by gRPC", byGrpc(marquee, page)],
    ]),
    plan,
  );
  await checkLog(logging, log);

  const { rate, cpu, busy, ratio, cpuRatio } = measured;
  const logged = ratio("list, logged, by wrk", "bare list by wrk");
  table.addGoal("hotList", logged);
  table.addGoal("hotPost", ratio("list by POST", "list"));
  table.addGoal("hotGrpc", ratio("list by gRPC", "list"));
  table.addGoal("hotPage", ratio("page by POST", "page"));
  table.add("bare `node:http`, the same list of 20 events (responses/s)", rate("bare list"));
  table.add(
    "hot list, default log level, of bare, by a raw load",
    ratio("list, logged", "bare list"),
  );
  for (const name of [
    "bare list by wrk",
    "list, logged, by wrk",
    "bare list",
    "list, logged",
    "list",
    "list by gRPC",
    "bare gRPC",
  ]) {
    table.add(`core used for ${name} (1: the load was no limit)`, busy(name));
  }
  table.add("CPU of bare, of the CPU of the hot list", cpuRatio("bare list", "list, logged"));
  table.add(
    "CPU of bare, of the CPU of the hot list without the access log",
    cpuRatio("bare list", "list"),
  );
  table.add("CPU of the hot list by GET, of the CPU by POST", cpuRatio("list", "list by POST"));
  table.add("CPU of the hot list by GET, of the CPU by gRPC", cpuRatio("list", "list by gRPC"));
  table.add("hot list, no access log, of bare", ratio("list", "bare list"), "at least 0.8");
  table.add("304 on the same, of bare", ratio("304", "bare list"), "at least 0.9");
  table.add("hot home page, no access log, of bare", ratio("page", "bare page"), "at least 0.8");
  table.add("hot home page by gRPC, of its hot GET", ratio("page by gRPC", "page"));
  table.add(
    "bare `node:http2` with the same list by gRPC, of the hot GET",
    ratio("bare gRPC", "list"),
  );
  for (const [protocol, name] of [
    ["GET", "list"],
    ["Connect POST", "list by POST"],
    ["gRPC", "list by gRPC"],
  ] as const) {
    table.add(`hot list by ${protocol} (ms CPU)`, cpu(name));
    const work = `connect-node with a ready message by ${protocol}, of Marquee`;
    table.add(work, ratio(`connect ${name}`, name));
  }
}

/** Makes a load that has its response already. */
async function toConditional(load: Load): Promise<Load> {
  const etag = (await readResponse(load)).headers.get("etag") ?? "";
  const requests = load.requests.map((request) => ({
    ...request,
    headers: { ...request.headers, "if-none-match": etag },
  }));
  return { ...load, requests, status: 304 };
}

/** Fails if the log does not have a line for each of the measured requests. */
async function checkLog(server: ServerProcess, path: string): Promise<void> {
  await server.stop();
  const lines = readFileSync(path).reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
  if (lines < 1_000) throw new Error(`the access log has ${lines} lines`);
}
