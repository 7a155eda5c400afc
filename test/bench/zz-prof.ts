import { createServers } from "./servers.ts";
import { sendLoad, type Load } from "./load.ts";
import { byGet, byGrpc, byPost, firstEvents } from "./requests.ts";
import { keepOffServerCore, SERVER_CORE } from "./cores.ts";
import { join } from "node:path";
import { readFileSync } from "node:fs";
const kind = process.argv[2] ?? "list";
const dir = `/tmp/prof-${process.pid}`;
const servers = createServers(kind, dir);
const core = { core: SERVER_CORE };
await keepOffServerCore(async () => {
  const logged = kind.startsWith("logged");
  const { server, demo } = await servers.serveDemo(logged ? { log: join(servers.folder, "a.log"), ...core } : core);
  const credential = { authorization: `Bearer ${demo.projects[0]?.public_key}` };
  const list = firstEvents(credential);
  const how = kind.includes("post") ? byPost : kind.includes("grpc") ? byGrpc : byGet;
  await sendLoad(how(server, list), 6);
  await servers.close();
});
const file = `${dir}/${kind}-1.cpuprofile`;
const p = JSON.parse(readFileSync(file, "utf8"));
const nodes = new Map<number, any>(p.nodes.map((n: any) => [n.id, n]));
const self = new Map<string, number>(); let total = 0;
p.samples.forEach((id: number, i: number) => {
  const { functionName, url, lineNumber } = nodes.get(id).callFrame;
  if (functionName === "(idle)") return;
  // skip start
  if (i < p.samples.length * 0.4) return;
  const k = `${functionName || "(anon)"} ${url.replace(/.*\/(src|node_modules)\//, "$1/")}:${lineNumber + 1}`;
  self.set(k, (self.get(k) ?? 0) + p.timeDeltas[i]); total += p.timeDeltas[i];
});
for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 55)) console.log((100 * v / total).toFixed(1).padStart(5), k);
