// zz-ab.ts works rounds seconds name=root[,flag,flag] ...
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, existsSync } from "node:fs";
import { type Load } from "./load.ts";
import { measureLoads } from "./zz-load.ts";
import { startProcess } from "./processes.ts";
import { byGet, byGrpc, byPost, firstEvents } from "./requests.ts";
import { keepOffServerCore, SERVER_CORE } from "./cores.ts";
import { join } from "node:path";
import { setPriority } from "node:os";
setPriority(process.pid, -19);
import { writeFileSync } from "node:fs";
writeFileSync("/proc/self/autogroup", "-19");
const [works = "list", rounds = "5", seconds = "1", ...variants] = process.argv.slice(2);
const folder = mkdtempSync("/tmp/zzab-");
const children: any[] = [];
let port = 24000 + (process.pid % 2000) * 8;
async function serve(root: string, flags: string[], log: string | undefined) {
  port++;
  const dir = mkdtempSync(`${folder}/s`);
  const nodeFlags = flags.filter((f) => !f.startsWith("+")), serveFlags = flags.filter((f) => f.startsWith("+")).map((f) => f.slice(1));
  const c = spawn("taskset", ["-c", "0", process.execPath, ...(nodeFlags.some((f) => f.includes("semi-space-size")) ? [] : ["--min-semi-space-size=4"]), ...nodeFlags, "src/main.ts", "serve", "--listen", `127.0.0.1:${port}`, "--database", `sqlite:${dir}/d.db`, "--demo", "--demo-file", `${dir}/demo.json`, "--no-actions", ...(log ? [] : ["--log-level", "warn"]), ...serveFlags], { cwd: root, stdio: ["ignore", "ignore", log ? openSync(log, "w") : "inherit"], env: { ...process.env, MALLOC_ARENA_MAX: "2" } });
  children.push(c);
  while (!existsSync(`${dir}/demo.json`)) await new Promise((r) => setTimeout(r, 100));
  await new Promise((r) => setTimeout(r, 100));
  return { server: { port, pid: c.pid!, startTime: 0, stop: async () => {} }, demo: JSON.parse(readFileSync(`${dir}/demo.json`, "utf8")) };
}
process.on("exit", () => { for (const c of children) c.kill("SIGKILL"); rmSync(folder, { recursive: true, force: true }); });
await keepOffServerCore(async () => {
  const loads = new Map<string, Load>();
  for (const work of works.split(",")) {
    for (const v of variants) {
      const [name = "", rest = ""] = v.split(/=(.*)/s);
      const [root = "", ...flags] = rest.split(",");
      if (root === "bare") continue;
      const { server, demo } = await serve(root, flags, work === "logged" ? `${folder}/${name}.log` : undefined);
      const list = firstEvents({ authorization: `Bearer ${demo.projects[0]?.public_key}` });
      const how = work === "post" ? byPost : work === "grpc" ? byGrpc : byGet;
      loads.set(`${work} ${name}`, how(server, list));
      if (variants.includes("bare=bare") && (work === "list" || work === "logged" || work === "grpc") && !loads.has(work === "grpc" ? "bare grpc" : "bare")) {
        const json = await (await fetch(`http://127.0.0.1:${server.port}${list.get.path}`, { headers: { ...list.get.headers, "accept-encoding": "identity" } })).text();
        const p = await startProcess(["test/bench/peers.ts", work === "grpc" ? "bare-http2" : "bare"], { core: SERVER_CORE, input: JSON.stringify({ procedure: new URL(list.get.path, "http://x").pathname, json }) });
        children.push({ kill: () => process.kill(p.pid) });
        loads.set(work === "grpc" ? "bare grpc" : "bare", how(p, list));
      }
    }
  }
  const m = await measureLoads(loads, { rounds: Number(rounds), seconds: Number(seconds) });
  for (const work of works.split(",")) {
    const names = [...loads.keys()].filter((k) => k.startsWith(`${work} `));
    const bareName = loads.has(work === "grpc" ? "bare grpc" : "bare") ? (work === "grpc" ? "bare grpc" : "bare") : undefined;
    for (const n of names) console.log(n.padEnd(20), "cpu us", (m.cpu(n) * 1000).toFixed(1), "of first", m.cpuRatio(n, names[0]!).toFixed(3), ...(bareName ? ["of bare by cpu", m.cpuRatio(bareName, n).toFixed(3)] : []), "rate", m.rate(n).toFixed(0), "busy", m.busy(n).toFixed(2));
  }
  for (const b of ["bare", "bare grpc"]) if (loads.has(b)) console.log(b.padEnd(20), "cpu us", (m.cpu(b) * 1000).toFixed(1), "rate", m.rate(b).toFixed(0), "busy", m.busy(b).toFixed(2));
});
process.exit(0);
