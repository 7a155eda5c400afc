import { createServers } from "/work/wt/hot/test/bench/servers.ts";
import { measureLoads, type Load } from "/work/wt/hot/test/bench/load.ts";
import { byGet, byGrpc, byPost, firstEvents } from "/work/wt/hot/test/bench/requests.ts";
import { keepOffServerCore, SERVER_CORE } from "/work/wt/hot/test/bench/cores.ts";
import { join } from "node:path";
const pin = process.argv[2] === "pin";
const seconds = Number(process.argv[3] ?? 1), rounds = Number(process.argv[4] ?? 3);
const servers = createServers("x", undefined);
const core = pin ? { core: SERVER_CORE } : {};
const run = async () => {
  const { server: marquee, demo } = await servers.serveDemo(core);
  const { server: logging } = await servers.serveDemo({ log: join(servers.folder, "a.log"), ...core });
  const credential = { authorization: `Bearer ${demo.projects[0]?.public_key}` };
  const list = firstEvents(credential);
  const hot = byGet(marquee, list);
  const loads = new Map<string, Load>([
    ["bare", byGet(await servers.startPeer("bare", hot, core), list)],
    ["logged", byGet(logging, list)],
    ["list", hot],
    ["post", byPost(marquee, list)],
    ["grpc", byGrpc(marquee, list)],
    ["bare grpc", byGrpc(await servers.startPeer("bare-http2", hot, core), list)],
  ]);
  const m = await measureLoads(loads, { rounds, seconds });
  for (const n of loads.keys()) console.log(n.padEnd(10), "rate", m.rate(n).toFixed(0), "cpu us", (m.cpu(n)*1000).toFixed(1), "busy", m.busy(n).toFixed(2), "of bare rate", m.ratio(n, "bare").toFixed(3), "cpu", m.cpuRatio("bare", n).toFixed(3));
};
try { await (pin ? keepOffServerCore(run) : run()); } finally { await servers.close(); }
