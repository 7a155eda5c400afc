import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findFreePort } from "../harness/free-port.ts";
import { send } from "../harness/http.ts";
import { MARQUEE, ROOT, type Running, start } from "../harness/process.ts";
import { createServiceFolder } from "../harness/test-folder.ts";
import { readMetrics } from "../http/endpoints/read-metrics.ts";

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Each request comes over a connection of its own. */
const CLOSE = { headers: { connection: "close" } };

async function startWorkers(count: number) {
  const folder = createServiceFolder({ empty: true });
  const port = await findFreePort();
  const running = start(
    MARQUEE.program,
    MARQUEE.args(
      ...["serve", "--workers", String(count), "--listen", `127.0.0.1:${port}`],
      ...["--database", `sqlite:${folder.database}`],
    ),
    { cwd: folder.path },
  );
  await running.printed(/Delivery API {2}\S+\n/);
  return { running, url: `http://127.0.0.1:${port}` };
}

/** Returns the processes that logged a request. */
function servedBy(running: Running): Set<string> {
  const lines = running.stderr().matchAll(/"pid":(\d+).*"path":"\/healthz"/g);
  return new Set(Array.from(lines, ([, pid = ""]) => pid));
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Lists the counters and the parts of histograms of `/metrics`. */
async function readSums(url: string): Promise<ReadonlyMap<string, number>> {
  const { status, text } = await send("GET", `${url}/metrics`, CLOSE);
  expect(status).toBe(200);
  const types = new Map(
    Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = "", type = ""]) => [name, type]),
  );
  const isSum = (series: string) => {
    const [name = ""] = series.split("{");
    const type = types.get(name) ?? types.get(name.replace(/_(bucket|sum|count)$/, ""));
    return type === "counter" || type === "histogram";
  };
  return new Map(Array.from(readMetrics(text)).filter(([series]) => isSum(series)));
}

const HEALTH =
  'marquee_request_duration_seconds_count{protocol="endpoint",method="/healthz",code="OK"}';

test("workers share a port and their metrics, no sum of which falls when one is killed, replaced, or hangs; a signal ends all with 0", async () => {
  const { running, url } = await startWorkers(2);
  let last: ReadonlyMap<string, number> = new Map();
  const listFallen = (sums: ReadonlyMap<string, number>) =>
    Array.from(last).filter(([series, value]) => (sums.get(series) ?? 0) < value);
  const scrape = async () => {
    const sums = await readSums(url);
    expect(listFallen(sums)).toEqual([]);
    last = sums;
    return sums;
  };
  const callUntil = (count: number) =>
    until(async () => {
      // Only what was connected to a killed worker fails.
      await send("GET", `${url}/healthz`, CLOSE).catch(() => {});
      return servedBy(running).size === count;
    });
  await callUntil(2);
  expect(running.stdout().match(/Marquee is ready/g)).toHaveLength(1);
  const { text } = await send("GET", `${url}/metrics`, CLOSE);
  // A process that has nothing but its code uses more than 50 MB.
  const [, bytes] = /^process_resident_memory_bytes (\d+)/m.exec(text) ?? [];
  expect(Number(bytes)).toBeGreaterThan(2 * 50_000_000);
  expect(text).toMatch(/^marquee_actions_pending 0$/m);
  const files = ["prometheus/marquee.rules.yml", "grafana/marquee.json"];
  const asked = files.flatMap(
    (file) =>
      readFileSync(join(ROOT, "deploy", file), "utf8").match(/\b(?:process|nodejs)_\w+/g) ?? [],
  );
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.filter((name) => !text.includes(`\n${name} `))).toEqual([]);
  const before = await scrape();
  expect(before.get(HEALTH)).toBeGreaterThanOrEqual(2);
  expect(before.get("marquee_worker_restarts_total")).toBe(0);

  const [victim, other] = [...servedBy(running)].map(Number);
  process.kill(victim ?? 0, "SIGKILL");
  await until(() => running.stderr().includes("worker ended, starting another"));
  await scrape();
  await callUntil(3);
  const after = await scrape();
  expect(after.get("marquee_worker_restarts_total")).toBe(1);
  expect(after.get(HEALTH)).toBeGreaterThan(before.get(HEALTH) ?? 0);

  // A second one: the sums of those that ended are kept together.
  process.kill(other ?? 0, "SIGKILL");
  await callUntil(4);
  await scrape();

  const hanging = [...servedBy(running)]
    .map(Number)
    .filter((pid) => pid !== victim && pid !== other);
  const [stopped = 0] = hanging;
  process.kill(stopped, "SIGSTOP");
  // The system gives it half of the connections, which hang as well.
  const responses = Array.from({ length: 8 }, () => readSums(url));
  const sums = await Promise.any(responses);
  process.kill(stopped, "SIGCONT");
  expect(listFallen(sums)).toEqual([]);
  await Promise.all(responses);
  const pids = [...servedBy(running)].map(Number);
  running.child.kill("SIGTERM");
  const { code, signal } = await running.finished;
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("workers that cannot listen end the command with 1", async () => {
  const folder = createServiceFolder({ empty: true });
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, "127.0.0.1", () => resolve(portOf(taken)));
  });
  const { finished } = start(
    MARQUEE.program,
    MARQUEE.args("serve", "--workers", "2", "--listen", `127.0.0.1:${port}`),
    { cwd: folder.path },
  );
  const { code, stderr } = await finished;
  expect(stderr).toMatch(/^marquee: --listen: address already in use: [^\n]+\n$/);
  expect(code).toBe(1);
  taken.close();
});
