// profile through inspector-less: server started with --cpu-prof; µs per answer by function, minus idle; bare too
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, existsSync, writeFileSync, readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { sendLoad } from "./zz-load.ts";
import { byGet, byGrpc, byPost, firstEvents } from "./requests.ts";
import { keepOffServerCore } from "./cores.ts";
setPriority(process.pid, -19); writeFileSync("/proc/self/autogroup", "-19");
const [kind = "list", root = "/work/wt/hot", top = "40"] = process.argv.slice(2);
const folder = mkdtempSync("/tmp/zzprof-");
// preload: on SIGUSR2 start/stop profile, trace alloc
writeFileSync(`${folder}/pre.cjs`, `
const { Session } = require("node:inspector"); const fs = require("node:fs"); const v8 = require("node:v8");
let s; const { PerformanceObserver } = require("node:perf_hooks");
process.on("SIGUSR2", () => {
  if (!s) { s = new Session(); s.connect(); s.post("Profiler.enable"); s.post("Profiler.setSamplingInterval", { interval: 200 }); s.post("Profiler.start"); }
  else { s.post("Profiler.stop", (e, r) => fs.writeFileSync(process.env.ZZ_OUT, JSON.stringify(r.profile))); }
});`);
const port = 25000 + process.pid % 3000, out = `${folder}/p.json`;
const env = { ...process.env, MALLOC_ARENA_MAX: "2", ZZ_OUT: out };
const logged = kind === "logged";
await keepOffServerCore(async () => {
  const c = spawn("taskset", ["-c", "0", process.execPath, "--min-semi-space-size=4", "-r", `${folder}/pre.cjs`, "src/main.ts", "serve", "--listen", `127.0.0.1:${port}`, "--database", `sqlite:${folder}/d.db`, "--demo", "--demo-file", `${folder}/demo.json`, "--no-actions", ...(logged ? [] : ["--log-level", "warn"])], { cwd: root, stdio: ["ignore", "ignore", logged ? openSync(`${folder}/log`, "w") : "inherit"], env });
  while (!existsSync(`${folder}/demo.json`)) await new Promise((r) => setTimeout(r, 100));
  const demo = JSON.parse(readFileSync(`${folder}/demo.json`, "utf8"));
  const list = firstEvents({ authorization: `Bearer ${demo.projects[0]?.public_key}` });
  let pid = c.pid!, p = port;
  let b: any;
  if (kind.startsWith("bare")) {
    const json = await (await fetch(`http://127.0.0.1:${port}${list.get.path}`, { headers: { ...list.get.headers, "accept-encoding": "identity" } })).text();
    b = spawn("taskset", ["-c", "0", process.execPath, "-r", `${folder}/pre.cjs`, "test/bench/peers.ts", kind === "bare" ? "bare" : "bare-http2"], { stdio: ["pipe", "pipe", "inherit"], env });
    b.stdin.end(JSON.stringify({ procedure: new URL(list.get.path, "http://x").pathname, json }));
    p = await new Promise<number>((r) => b.stdout.on("data", (d: any) => r(Number(String(d)))));
    pid = b.pid;
  }
  const how = kind.includes("post") ? byPost : kind.includes("grpc") ? byGrpc : byGet;
  const load = how({ port: p, pid, startTime: 0, stop: async () => {} }, list);
  await sendLoad(load, 1);
  process.kill(pid, "SIGUSR2"); await new Promise((r) => setTimeout(r, 300));
  let count = 0, cpu = 0;
  for (let i = 0; i < 5; i++) { const t = await sendLoad(load, 0.4); count += t.rate * 0.4; cpu += t.cpu * t.rate * 0.4; await new Promise((r) => setTimeout(r, 400)); }
  process.kill(pid, "SIGUSR2"); while (!existsSync(out)) await new Promise((r) => setTimeout(r, 200)); await new Promise((r) => setTimeout(r, 500));
  c.kill("SIGKILL"); b?.kill("SIGKILL");
  const prof = JSON.parse(readFileSync(out, "utf8"));
  const nodes = new Map<number, any>(prof.nodes.map((n: any) => [n.id, n]));
  const self = new Map<string, number>(), area = new Map<string, number>(); let total = 0;
  prof.samples.forEach((id: number, i: number) => {
    const { functionName, url, lineNumber } = nodes.get(id).callFrame;
    if (functionName === "(idle)") return;
    const dt = Math.min(prof.timeDeltas[i], 1000);
    const k = `${functionName || "(anon)"} ${url.replace(/.*\/(src|node_modules)\//, "$1/")}:${lineNumber + 1}`;
    const a = url.includes("/src/") ? "src" : url.startsWith("node:") ? url : functionName;
    self.set(k, (self.get(k) ?? 0) + dt); area.set(a, (area.get(a) ?? 0) + dt); total += dt;
  });
  console.log(kind, "answers", count.toFixed(0), "cpu us", (cpu / count * 1000).toFixed(1), "profile us/answer", (total / count).toFixed(1));
  for (const [k, v] of [...area].sort((a, b) => b[1] - a[1]).slice(0, 22)) console.log("   A", (v / count).toFixed(2).padStart(6), k);
  for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, Number(top))) console.log((v / count).toFixed(2).padStart(6), k);
});
rmSync(folder, { recursive: true, force: true });
process.exit(0);
