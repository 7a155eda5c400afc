import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, existsSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { sendLoad } from "./zz-load.ts";
import { byGet, byGrpc, byPost, firstEvents } from "./requests.ts";
import { keepOffServerCore } from "./cores.ts";
setPriority(process.pid, -19); writeFileSync("/proc/self/autogroup", "-19");
const [kind = "list", root = "/work/wt/hot", ...flags] = process.argv.slice(2);
const folder = mkdtempSync("/tmp/zzprof-");
const port = 26000 + process.pid % 3000;
const env = { ...process.env, MALLOC_ARENA_MAX: "2" };
const logged = kind === "logged";
await keepOffServerCore(async () => {
  const c = spawn("taskset", ["-c", "0", process.execPath, "--min-semi-space-size=4", "--perf-basic-prof-only-functions", ...flags, "src/main.ts", "serve", "--listen", `127.0.0.1:${port}`, "--database", `sqlite:${folder}/d.db`, "--demo", "--demo-file", `${folder}/demo.json`, "--no-actions", ...(logged ? [] : ["--log-level", "warn"])], { cwd: root, stdio: ["ignore", "ignore", logged ? openSync(`${folder}/log`, "w") : "inherit"], env });
  while (!existsSync(`${folder}/demo.json`)) await new Promise((r) => setTimeout(r, 100));
  const demo = JSON.parse(readFileSync(`${folder}/demo.json`, "utf8"));
  const list = firstEvents({ authorization: `Bearer ${demo.projects[0]?.public_key}` });
  let pid = c.pid!, p = port, b: any;
  if (kind === "bare") {
    const json = await (await fetch(`http://127.0.0.1:${port}${list.get.path}`, { headers: { ...list.get.headers, "accept-encoding": "identity" } })).text();
    b = spawn("taskset", ["-c", "0", process.execPath, "--perf-basic-prof-only-functions", "test/bench/peers.ts", "bare"], { stdio: ["pipe", "pipe", "inherit"], env });
    b.stdin.end(JSON.stringify({ procedure: new URL(list.get.path, "http://x").pathname, json }));
    p = await new Promise<number>((r) => b.stdout.on("data", (d: any) => r(Number(String(d)))));
    pid = b.pid;
  }
  const how = kind.includes("post") ? byPost : kind.includes("grpc") ? byGrpc : byGet;
  const load = how({ port: p, pid, startTime: 0, stop: async () => {} }, list);
  await sendLoad(load, 1);
  const perf = spawn("perf", ["record", "-F", "2000", "-e", "cpu-clock", "-o", `${folder}/perf.data`, "-p", String(pid)], { stdio: "ignore" });
  await new Promise((r) => setTimeout(r, 500));
  let count = 0, cpu = 0;
  for (let i = 0; i < 12; i++) { const t = await sendLoad(load, 0.4); count += t.rate * 0.4; cpu += t.cpu * t.rate * 0.4; await new Promise((r) => setTimeout(r, 200)); }
  perf.kill("SIGINT"); await new Promise((r) => perf.once("exit", r));
  console.log(kind, "answers", count.toFixed(0), "cpu us", (cpu / count * 1000).toFixed(1));
  const rep = (sort: string, n: number) => console.log(spawnSync("perf", ["report", "-i", `${folder}/perf.data`, "--stdio", "-s", sort, "--percent-limit", "0.15"], { encoding: "utf8" }).stdout.split("\n").filter((l) => l.trim() && !l.startsWith("#")).slice(0, n).join("\n"));
  rep("dso", 8); rep("comm", 8); rep("sym", 70);
  c.kill("SIGKILL"); b?.kill("SIGKILL");
});
rmSync(folder, { recursive: true, force: true });
process.exit(0);
