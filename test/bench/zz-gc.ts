import { spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { createServers } from "./servers.ts";
import { sendLoad, type Load } from "./load.ts";
import { startProcess } from "./processes.ts";
import { byGet, byGrpc, byPost, firstEvents } from "./requests.ts";
import { keepOffServerCore, SERVER_CORE } from "./cores.ts";
import { MARQUEE } from "../harness/process.ts";
import { join } from "node:path";
const kind = process.argv[2] ?? "list"; const flags = process.argv.slice(3);
const servers = createServers(kind, undefined);
await keepOffServerCore(async () => {
  const { server, demo } = await servers.serveDemo({ core: SERVER_CORE });
  const credential = { authorization: `Bearer ${demo.projects[0]?.public_key}` };
  const list = firstEvents(credential);
  const how = kind.includes("post") ? byPost : kind.includes("grpc") ? byGrpc : byGet;
  await servers.close;
  await server.stop();
  // now with flags
  const file = `/tmp/gc-${process.pid}.txt`;
  const fd = openSync(file, "w");
  const log = kind.includes("logged");
  const c = spawn("taskset", ["-c", "0", process.execPath, "--trace-gc", "--trace-gc-nvp", ...flags, ...MARQUEE.args("serve", "--listen", "127.0.0.1:23456"), "--database", `sqlite:${join(servers.folder, "demo.db")}`, "--demo", "--demo-file", join(servers.folder, "demo.json"), ...(log ? [] : ["--log-level", "warn"])], { stdio: ["ignore", fd, "ignore"], env: { ...process.env, ...MARQUEE.env } });
  for (;;) { try { await fetch("http://127.0.0.1:23456/healthz"); break; } catch { await new Promise(r => setTimeout(r, 100)); } }
  await new Promise(r => setTimeout(r, 1500));
  const before = readFileSync(file, "utf8").length;
  const server2 = { ...server, port: 23456, pid: c.pid ?? 0 };
  const t = await sendLoad(how(server2, list), 3);
  c.kill("SIGTERM");
  const text = readFileSync(file, "utf8").slice(before);
  const lines = text.split("\n");
  const count = t.rate * 3;
  console.log(kind, "rate", t.rate.toFixed(0), "cpu us", (t.cpu * 1000).toFixed(1), "answers", count.toFixed(0));
  const kinds = new Map<string, { n: number; pause: number }>();
  for (const l of lines) { const m = /gc=(\S+)/.exec(l), p = /pause=([\d.]+)/.exec(l); if (!m || !p) continue; const k = kinds.get(m[1]!) ?? { n: 0, pause: 0 }; k.n++; k.pause += Number(p[1]); kinds.set(m[1]!, k); }
  for (const [k, v] of kinds) console.log(k, v.n, "pause ms", v.pause.toFixed(0), "us/answer", (v.pause * 1000 / count).toFixed(1));
  console.log(lines.filter(l => l.includes("gc=")).slice(20, 22).join("\n"));
  console.log(file);
});
await servers.close();
