import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { DemoFile } from "../../demo/demo-file.ts";
import { WORLD_CUP } from "../../demo/ids.ts";
import { readCpuTime, readMemory } from "../../test/harness/process-usage.ts";
import { readBody, summarize } from "./latency.ts";
import type { ServerProcess } from "./processes.ts";
import { byGet, firstEvents } from "./requests.ts";
import type { Bench } from "./section.ts";

const CLIENTS = 2_000;
const READS = 1_000;
const WRITES_PER_SECOND = 50;

/** The events that are watched and written; reads of one event differ by a parameter without a meaning. */
const EVENTS = Array.from({ length: 100 }, (_, it) => `match-2026-${it + 1}`);

/**
 * Measures reads that wait: many clients of one match, then of many reads while others write. The clients are a process on
 * the same machine, and take part of its time.
 */
export async function measureWaits({ plan, table, servers }: Bench): Promise<void> {
  const { server, demo } = await servers.serveDemo();
  const seconds = plan.seconds * 10;

  const one = watch(server, demo, { clients: CLIENTS, reads: 1 });
  await sleep(6_000);
  const start = readCpuTime(server.pid);
  await write(server, demo, { perSecond: 0.5, seconds, events: EVENTS.slice(0, 1) });
  await sleep(2_000);
  const cpu = readCpuTime(server.pid) - start;
  const onOne = await one.stop();
  const ofOne = `${CLIENTS} clients of one match: from the write to each,`;
  table.add(`${ofOne} CPU of a write (ms)`, cpu / (seconds / 2));
  table.add(`${ofOne} p50 (ms)`, summarize(onOne).p50);
  table.add(`${ofOne} p99 (ms)`, summarize(onOne).p99, "at most 1500");

  const memory = readMemory(server.pid);
  const before = await underWrites(server, demo, seconds);
  const many = watch(server, demo, { clients: CLIENTS, reads: READS });
  await sleep(6_000);
  const after = await underWrites(server, demo, seconds);
  const grown = readMemory(server.pid) - memory;
  const onMany = summarize(await many.stop());
  const load = `${CLIENTS} clients of ${READS} reads, ${WRITES_PER_SECOND} writes/s`;
  table.add(`${load}: CPU of waits, of a core`, after.cpu - before.cpu, "at most 0.25");
  table.add(`${load}: growth of memory (RSS, MB)`, grown, "at most 60");
  table.add(`${load}: from the write to each, p50 (ms)`, onMany.p50);
  table.add(`${load}: from the write to each, p99 (ms)`, onMany.p99);
  table.add("hot reads during them, time without waits of the time with", before.hot / after.hot);

  // The part that the clients take: they share the cores, but not the process.
  const { server: second } = await servers.serveDemo();
  const elsewhere = watch(second, demo, { clients: CLIENTS, reads: READS });
  await sleep(6_000);
  const beside = await underWrites(server, demo, seconds);
  await elsewhere.stop();
  table.add("the same while the reads wait at another process", before.hot / beside.hot);
}

/** Writes while it reads another project from memory; returns the CPU of the server, of a core, and the time of a read. */
async function underWrites(server: ServerProcess, demo: DemoFile, seconds: number) {
  const cpu = readCpuTime(server.pid);
  const start = performance.now();
  const writing = write(server, demo, { perSecond: WRITES_PER_SECOND, seconds, events: EVENTS });
  const [, sandbox] = demo.projects;
  const load = byGet(server, firstEvents({ authorization: `Bearer ${sandbox?.public_key}` }));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const [read] = load.requests;
  if (read === undefined) throw new Error("a load without requests");
  while (performance.now() - start < seconds * 1_000) {
    const begin = performance.now();
    await readBody(server.port, read, agent);
    times.push(performance.now() - begin);
    await sleep(20);
  }
  await writing;
  agent.destroy();
  const taken = performance.now() - start;
  return { cpu: (readCpuTime(server.pid) - cpu) / taken, hot: summarize(times).p50 };
}

/** The time of the last write of a score, by event and score. */
const written = new Map<string, number>();
let scores = 0;

async function write(
  server: ServerProcess,
  demo: DemoFile,
  { perSecond, seconds, events }: { perSecond: number; seconds: number; events: readonly string[] },
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const start = performance.now();
  for (let count = 0; count < perSecond * seconds; count += 1) {
    const due = start + (count * 1_000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    scores += 1;
    const id = events[scores % events.length];
    const body = { event: { fields: { score: { home: scores } } }, update_mask: "fields" };
    const headers = {
      authorization: `Bearer ${demo.accounts.owner}`,
      "content-type": "application/json",
      "x-project-id": WORLD_CUP,
    };
    const path = `/cms/events/v1/${id}`;
    const update = { method: "PATCH", path, headers, body: JSON.stringify(body) } as const;
    await readBody(server.port, update, agent);
    written.set(`${id} ${scores}`, performance.now());
  }
  agent.destroy();
}

/** Lets clients wait, each for one read, again and again; `stop` returns the times from writes to clients. */
function watch(
  server: ServerProcess,
  demo: DemoFile,
  { clients, reads }: { readonly clients: number; readonly reads: number },
) {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const ended = new AbortController();
  const key = demo.projects[0]?.public_key;
  const follow = async (number: number) => {
    const id = EVENTS[number % Math.min(reads, EVENTS.length)] ?? "";
    const message = encodeURIComponent(JSON.stringify({ id }));
    const path = `/svc.cda.cms.event.v1.EventService/GetEvent?encoding=json&message=${message}&key=${key}&read=${number % reads}`;
    let state = "";
    await sleep(2_000 * Math.random());
    while (!ended.signal.aborted) {
      const wait = state === "" ? "" : `&after=${state}&wait=10`;
      const url = `http://127.0.0.1:${server.port}${path}${wait}`;
      const got = await get(url, agent);
      if (got === undefined) {
        await sleep(1_000 * Math.random());
        continue;
      }
      const isNews = got.state.split(".")[0] !== state.split(".")[0];
      if (isNews && state !== "") {
        const time = written.get(`${id} ${got.home}`);
        if (time !== undefined) times.push(performance.now() - time);
      }
      state = got.state;
      if (!isNews) await sleep(1_000 + Math.random() * 1_000);
    }
  };
  const following = Array.from({ length: clients }, (_, number) => follow(number));
  return {
    async stop(): Promise<readonly number[]> {
      ended.abort();
      agent.destroy();
      await Promise.all(following);
      return times;
    },
  };
}

/** Reads an event; undefined for an error, such as too many requests at once. */
function get(
  url: string,
  agent: Agent,
): Promise<{ readonly state: string; readonly home: number } | undefined> {
  return new Promise((resolve) => {
    request(url, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => resolve(undefined));
      response.on("end", () => {
        if (response.statusCode !== 200) return resolve(undefined);
        const { event } = JSON.parse(Buffer.concat(chunks).toString());
        const state = String(response.headers["marquee-state"]);
        resolve({ state, home: event.fields.score.home });
      });
    })
      .once("error", () => resolve(undefined))
      .end();
  });
}
