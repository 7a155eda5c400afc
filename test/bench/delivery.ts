import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DemoFile } from "../../src/demo/demo-file.ts";
import { getUrl } from "../harness/calls.ts";
import { send } from "../harness/http.ts";
import { createEventFile, importEvents, prepareDatabase } from "./event-database.ts";
import { measureLatency, read, summarize } from "./latency.ts";
import { type Load, measureRates } from "./load.ts";
import { type ServerProcess, startProcess } from "./processes.ts";
import { QUERY_KINDS } from "./queries.ts";
import { createTable } from "./table.ts";

// `npm run bench:delivery`: the speed and size of delivery, as ratios and times within one run. The
// number of events may be given: `npm run bench:delivery -- 100000`.
const EVENTS = Number(process.argv[2] ?? 1_000_000);
const FEWER = EVENTS / 100;
const PLAN = { rounds: 5, seconds: 3 };
const QUERIES = 300;
const MAIN = "src/main.ts";
const LIST = "/svc.cda.cms.event.v1.EventService/ListEvents";
const PAGE = "/svc.cda.ott.page.v1.PageService/GetPage";

const folder = mkdtempSync(join(tmpdir(), "marquee-bench-"));
const table = createTable();
const running: ServerProcess[] = [];

try {
  await measureMemoryAnswers();
  await measureColdAnswers();
  await measureQueries();
} finally {
  await Promise.all(running.map((server) => server.stop()));
  rmSync(folder, { recursive: true });
}
console.log(table.print());

async function start(args: readonly string[], input?: string): Promise<ServerProcess> {
  const server = await startProcess(args, input);
  running.push(server);
  return server;
}

function serve(database: string, ...others: string[]): Promise<ServerProcess> {
  const quiet = ["--listen", "127.0.0.1:0", "--log-level", "warn"];
  return start([MAIN, "serve", ...quiet, "--database", `sqlite:${database}`, ...others]);
}

function urlOf({ port }: ServerProcess, procedure: string, message: unknown): string {
  return `http://127.0.0.1:${port}${getUrl(procedure, message)}`;
}

/** Answers from memory: the demo's list and page, beside a bare server that sends the same bytes. */
async function measureMemoryAnswers() {
  const demoFile = join(folder, "demo.json");
  const database = join(folder, "demo.db");
  const marquee = await serve(database, "--demo", "--demo-file", demoFile, "--cache-mib", "64");
  const headers = keyHeaders(await readDemo(demoFile));
  const message = { pageSize: "20" };
  const page = { slug: "home", includeItems: true, environment: "web" };
  const bare = async (procedure: string, asked: unknown) => {
    const list = await read(urlOf(marquee, procedure, asked), headers);
    return start(["test/bench/peers.ts", "bare"], JSON.stringify({ list, patch: "{}" }));
  };
  const [bareList, barePage] = [await bare(LIST, message), await bare(PAGE, page)];
  const url = urlOf(marquee, LIST, message);
  // The load asks for no encoding, and each encoding has a tag of its own.
  const plain = { ...headers, "accept-encoding": "identity" };
  const { headers: answered } = await send("GET", url, { headers: plain });
  const etag = answered.get("etag") ?? "";
  const rates = await measureRates(
    new Map<string, Load>([
      ["bare list", { url: urlOf(bareList, LIST, message), headers }],
      ["list", { url, headers }],
      ["304", { url, headers: { ...headers, "if-none-match": etag }, status: 304 }],
      ["bare page", { url: urlOf(barePage, PAGE, page), headers }],
      ["page", { url: urlOf(marquee, PAGE, page), headers }],
    ]),
    PLAN,
  );
  const ratio = (name: string, to: string) => (rates.get(name) ?? 0) / (rates.get(to) ?? 0);
  const perSecond = (name: string) => `${Math.round(rates.get(name) ?? 0)}/s`;
  table.add("bare `node:http`, the same list of 20 events", perSecond("bare list"), "");
  table.add("`ListEvents` from memory, of bare", ratio("list", "bare list"), "at least 0.8");
  table.add("304 on the same, of bare", ratio("304", "bare list"), "at least 0.9");
  table.add(
    "`GetPage` of the home page with items from memory, of bare",
    ratio("page", "bare page"),
    "at least 0.8",
  );
  table.add("memory of the process after that (MiB)", readMemory(marquee), "under 300");

  const cold = await serve(database, "--cache-mib", "0");
  const urls = Array.from({ length: QUERIES }, () => urlOf(cold, PAGE, page));
  await measureLatency(urls.slice(0, 50), headers);
  const { p50 } = await measureLatency(urls, headers);
  table.add("`GetPage` of the home page with items, no cache, p50 (ms)", p50, "under 10");
}

/** A filtered list with the cache off, beside connect-node with a ready message of the same size. */
async function measureColdAnswers() {
  const { database, headers } = await prepareDatabase(join(folder, "ten-thousand.db"));
  const file = await createEventFile(join(folder, "ten-thousand.ndjson"), 10_000);
  await importEvents(file, database, 10_000);
  const marquee = await serve(database, "--cache-mib", "0");
  const message = { pageSize: 20, filter: "content_type: match and fields.attendance >= 45000" };
  const load: Load = { url: urlOf(marquee, LIST, message), headers };
  const list = await read(load.url, headers);
  const connect = await start(
    ["test/bench/peers.ts", "connect"],
    JSON.stringify({ list, patch: "{}" }),
  );
  const rates = await measureRates(
    new Map<string, Load>([
      ["connect", { ...load, url: urlOf(connect, LIST, message) }],
      ["cold", load],
    ]),
    PLAN,
  );
  const ratio = (rates.get("cold") ?? 0) / (rates.get("connect") ?? 0);
  table.add(
    "`ListEvents` of 10,000 events, equality + range, no cache, of connect-node with a ready message",
    ratio,
    "at least 0.6",
  );
}

/** Filtered first pages over many events and over a hundredth of them; pages far behind; the import. */
async function measureQueries() {
  const many = await prepareDatabase(join(folder, "many.db"));
  const file = await createEventFile(join(folder, "many.ndjson"), EVENTS);
  const rate = await importEvents(file, many.database, EVENTS);
  rmSync(file);
  table.add(`\`marquee import\` of ${EVENTS} events (events/s)`, rate, "at least 10000");
  const few = await prepareDatabase(join(folder, "few.db"));
  const fewer = await createEventFile(join(folder, "few.ndjson"), FEWER);
  await importEvents(fewer, few.database, FEWER);
  const large = await serve(many.database, "--cache-mib", "0");
  const small = await serve(few.database, "--cache-mib", "0");
  for (const { name, filterOf, order } of QUERY_KINDS) {
    const urls = (server: ServerProcess) =>
      Array.from({ length: QUERIES }, (_, number) =>
        urlOf(server, LIST, { filter: filterOf(number), order }),
      );
    await measureLatency(urls(large), many.headers);
    const { p50, p99 } = await measureLatency(urls(large), many.headers);
    await measureLatency(urls(small), few.headers);
    const least = await measureLatency(urls(small), few.headers);
    table.add(`${name}, ${EVENTS} events, p50 (ms)`, p50, "under 3");
    table.add(`${name}, ${EVENTS} events, p99 (ms)`, p99, "under 15");
    table.add(`${name}, growth of p50 from ${FEWER} events`, p50 / least.p50, "at most 3");
  }
  await measureDeepPages(large, many.headers);
}

/** Reads a common value's list page by page: the pages around the thousandth beside the first. */
async function measureDeepPages(server: ServerProcess, headers: Record<string, string>) {
  const times: number[] = [];
  let pageToken = "";
  for (let page = 0; page < 1_020; page += 1) {
    const message = { filter: "content_type: match", order: "start_time asc", pageToken };
    const start = performance.now();
    const text = await read(urlOf(server, LIST, message), headers);
    times.push(performance.now() - start);
    pageToken = (JSON.parse(text) as { nextPageToken: string }).nextPageToken;
  }
  const first = summarize(times.slice(20, 60)).p50;
  const deep = summarize(times.slice(980, 1_020)).p50;
  table.add("pages around the 1,000th, of those around the 40th, p50", deep / first, "about 1");
}

function keyHeaders({ projects }: DemoFile): Record<string, string> {
  return { authorization: `Bearer ${projects[0]?.public_key}` };
}

async function readDemo(path: string): Promise<DemoFile> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(path, "utf8")) as DemoFile;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** The resident memory of a process, in MiB. */
function readMemory({ pid }: ServerProcess): number {
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) / 1024;
}
