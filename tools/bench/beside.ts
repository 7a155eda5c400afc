// `npm run bench:beside -- FOLDER`: how fast this checkout is compared with another one, in alternating turns of one run.
//
//   npm run bench:beside -- ../marquee-before
//   npm run bench:beside -- ../marquee-before --rounds 9 --only "cold list,PATCH"
//   DATABASE=postgres://… DATABASE_BEFORE=postgres://… npm run bench:beside -- ../marquee-before
//
// Each row is the CPU time of a request in the other checkout, divided by the CPU time of the same request here:
// above 1, this checkout is faster. Each round starts both services again, because two processes of one checkout differ by up
// to 15 %: the compiler optimizes them differently. The median of the rounds counts. Linux only: it reads /proc.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readArguments, rejectArguments } from "../arguments.ts";

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "5" }, only: { type: "string" } },
});
const [other] = positionals;
if (other === undefined) rejectArguments("name the folder of the other checkout");
const ROUNDS = Number(values.rounds);

/** The turns of a request in a round. */
const TURNS = 3;

/** Least ratio of each row: below it, this checkout is too slow. */
const FLOORS: Readonly<Record<string, number>> = {
  "cold list": 0.92,
  "cold GetEvent": 0.92,
  "cold home page": 0.92,
  "hot GET": 1.3,
  "hot POST": 0.85,
  "hot gRPC": 0.85,
  "cold gRPC list": 0.92,
  "Studio GET": 0.92,
  PATCH: process.env.DATABASE?.startsWith("postgres") ? 0.9 : 0.95,
  import: 0.85,
  start: 1 / 1.05,
  memory: 1 / 1.05,
};

/** The requests of a turn, and how many go at once. */
const REQUESTS = { hot: 8_000, cold: 1_500, written: 2_000 };
const AT_ONCE = 16;
const IMPORTED = 6_000;

const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"]).toString());

interface Demo {
  readonly base_url: string;
  readonly cda_url: string;
  readonly projects: readonly { readonly id: string; readonly public_key: string }[];
  readonly accounts: { readonly owner: string };
  readonly samples: { readonly page_component_id: string };
}

/** A checkout with a running service over a database of its own. */
class Side {
  readonly folder: string;
  readonly #database: string | undefined;
  #files = "";
  #process: ChildProcess | undefined;
  #demo: Demo | undefined;
  #session: ClientHttp2Session | undefined;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  #turn = 0;

  constructor(folder: string, database: string | undefined) {
    this.folder = resolve(folder);
    this.#database = database;
  }

  /** Starts the service and returns the milliseconds until it is ready. */
  async start(): Promise<number> {
    this.#files = mkdtempSync(join(tmpdir(), "beside-"));
    const demoFile = join(this.#files, "demo.json");
    const start = performance.now();
    this.#process = this.#run(
      ...["serve", "--demo", "--demo-file", demoFile, "--listen", "127.0.0.1:0"],
      ...["--database", this.database, "--log-level", "warn"],
    );
    for (;;) {
      try {
        this.#demo = JSON.parse(readFileSync(demoFile, "utf8"));
        if ((await fetch(`${this.demo.base_url}/readyz`)).ok) break;
      } catch {}
      await new Promise((done) => setTimeout(done, 5));
    }
    const time = performance.now() - start;
    return time;
  }

  async stop(): Promise<void> {
    this.#session?.close();
    this.#agent.destroy();
    const child = this.#process;
    if (child !== undefined) {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#files, { recursive: true, force: true });
  }

  get demo(): Demo {
    if (this.#demo === undefined) throw new Error("the service is not ready");
    return this.#demo;
  }

  get database(): string {
    return this.#database ?? `sqlite:${this.#files}/marquee.db`;
  }

  /** A number that no request had before. */
  next(): number {
    this.#turn += 1;
    return this.#turn;
  }

  /** The memory of the service, in megabytes. */
  get memory(): number {
    const status = readFileSync(`/proc/${this.#process?.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** Milliseconds of CPU that the service has used. */
  get cpu(): number {
    return readCpu(this.#process?.pid);
  }

  async http(method: string, url: string, token: string, body?: object): Promise<void> {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    await new Promise<void>((done, fail) => {
      request(url, {
        method,
        agent: this.#agent,
        headers: {
          authorization: `Bearer ${token}`,
          "connect-protocol-version": "1",
          ...(content && { "content-type": "application/json", "content-length": content.length }),
        },
      })
        .on("response", (response) => {
          if (response.statusCode !== 200)
            fail(new Error(`${method} ${url}: ${response.statusCode}`));
          response.resume().on("end", done);
        })
        .on("error", fail)
        .end(content);
    });
  }

  get(procedure: string, message: object): Promise<void> {
    const query = `encoding=json&message=${encodeURIComponent(JSON.stringify(message))}`;
    return this.http("GET", `${this.demo.cda_url}/${procedure}?${query}`, this.key);
  }

  post(procedure: string, message: object): Promise<void> {
    return this.http("POST", `${this.demo.cda_url}/${procedure}`, this.key, message);
  }

  async grpc(procedure: string, message: Buffer): Promise<void> {
    const frame = Buffer.alloc(5 + message.length);
    frame.writeUInt32BE(message.length, 1);
    message.copy(frame, 5);
    // The service ends a session that was idle.
    if (this.#session === undefined || this.#session.closed) {
      this.#session = connect(this.demo.cda_url);
    }
    const session = this.#session;
    await new Promise<void>((done, fail) => {
      const stream = session.request({
        ":method": "POST",
        ":path": `/${procedure}`,
        "content-type": "application/grpc+proto",
        te: "trailers",
        authorization: `Bearer ${this.key}`,
      });
      stream.on("error", fail).on("end", done).resume().end(frame);
    });
  }

  get key(): string {
    return this.demo.projects[0]?.public_key ?? "";
  }

  /** Changes a page component, which drops the project's cached responses. */
  patch(): Promise<void> {
    const { base_url, accounts, samples } = this.demo;
    const body = { page_component_update: { name: `n${this.next()}` }, update_mask: "name" };
    const url = `${base_url}/ott/page_components/v2/${samples.page_component_id}`;
    return this.http("PATCH", url, accounts.owner, body);
  }

  /** Imports events and returns milliseconds of CPU. */
  async import(): Promise<number> {
    const first = this.next() * IMPORTED;
    const lines = Array.from({ length: IMPORTED }, (_, at) => {
      const id = `beside-${first + at}`;
      const text = `Match ${at % 997} between team ${at % 89} and team ${at % 83} in season ${at % 60}`;
      const event = {
        ...{ id, project_id: this.demo.projects[0]?.id, visibility: "VISIBILITY_PUBLISHED" },
        ...{ title: { en: text, de: text }, start_time: new Date(at * 3.6e6).toISOString() },
        fields: {
          season: String(at % 60),
          round: at % 9,
          stadium: `s${at % 40}`,
          minutes: at % 120,
        },
      };
      return JSON.stringify({ event });
    });
    const file = join(this.#files, "events.ndjson");
    writeFileSync(file, `${lines.join("\n")}\n`);
    const child = this.#run("import", "--database", this.database, file);
    let cpu = 0;
    const watch = setInterval(() => {
      cpu = readCpu(child.pid) || cpu;
    }, 20);
    const code = await new Promise((done) => child.once("exit", done));
    clearInterval(watch);
    if (code !== 0) throw new Error(`import in ${this.folder} ended with ${code}`);
    return cpu;
  }

  #run(...args: readonly string[]): ChildProcess {
    const program = join(this.folder, "bin/marquee");
    return spawn(program, args, { cwd: this.folder, stdio: ["ignore", "ignore", "inherit"] });
  }
}

function readCpu(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Milliseconds of CPU that so many requests take. */
async function measure(side: Side, count: number, call: (index: number) => Promise<void>) {
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) await call(index);
  };
  const before = side.cpu;
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return side.cpu - before;
}

const EVENTS = "svc.cda.cms.event.v1.EventService";

/** A filter that no request had before; about a third of the events match. */
const coldFilter = (side: Side) => {
  const number = side.next();
  const day = new Date(Date.UTC(1990 + (number % 30), 0, 1) + number * 1_000).toISOString();
  return `start_time >= "${day.slice(0, 19)}Z" and not fields.season: "${number}"`;
};

/** `ListEventsRequest` in binary: `page_size` 1, `filter` 3. */
const listEvents = (filter: string) =>
  Buffer.concat([
    Buffer.from([NUMBERS.page_size << 3, 20, (NUMBERS.filter << 3) | 2, filter.length]),
    Buffer.from(filter),
  ]);

const NUMBERS = readNumbers();

function readNumbers() {
  const proto = readFileSync("proto/svc/cda/cms/event/v1/event_service.proto", "utf8");
  const message = proto.slice(proto.indexOf("message ListEventsRequest"));
  const numberOf = (name: string) => Number(new RegExp(`\\b${name} = (\\d+)`).exec(message)?.[1]);
  return { page_size: numberOf("page_size"), filter: numberOf("filter") };
}

const ROWS: Readonly<Record<string, (side: Side) => Promise<number>>> = {
  "hot GET": (side) =>
    measure(side, REQUESTS.hot, () => side.get(`${EVENTS}/ListEvents`, { pageSize: 20 })),
  "hot POST": (side) =>
    measure(side, REQUESTS.hot, () => side.post(`${EVENTS}/ListEvents`, { pageSize: 20 })),
  "hot gRPC": (side) => {
    const message = listEvents('fields.season: "2018"');
    return measure(side, REQUESTS.hot, () => side.grpc(`${EVENTS}/ListEvents`, message));
  },
  "cold list": (side) =>
    measure(side, REQUESTS.cold, () =>
      side.get(`${EVENTS}/ListEvents`, { pageSize: 20, filter: coldFilter(side) }),
    ),
  "cold GetEvent": async (side) => {
    await side.patch();
    return measure(side, REQUESTS.cold, (index) =>
      // 64 events; a change in between makes each cold again.
      index % 64 === 0
        ? side.patch()
        : side.get(`${EVENTS}/GetEvent`, { id: `match-2018-${index % 64}` }),
    );
  },
  "cold home page": (side) =>
    measure(side, REQUESTS.written, () =>
      side.get("svc.cda.ott.page.v1.PageService/GetPage", {
        slug: "home",
        session: { season: String(side.next()) },
      }),
    ),
  "cold gRPC list": (side) =>
    measure(side, REQUESTS.cold, () =>
      side.grpc(`${EVENTS}/ListEvents`, listEvents(coldFilter(side))),
    ),
  "Studio GET": (side) => {
    const { base_url, accounts, samples } = side.demo;
    const url = `${base_url}/ott/page_components/v2/${samples.page_component_id}`;
    return measure(side, REQUESTS.written, () => side.http("GET", url, accounts.owner));
  },
  PATCH: (side) => measure(side, REQUESTS.written, () => side.patch()),
  import: (side) => side.import(),
};

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** A figure of the other checkout and of this one. */
interface Pair {
  readonly before: number;
  readonly after: number;
}

const figures = new Map<string, Pair[]>();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, pair] of await runRound()) {
    figures.set(name, [...(figures.get(name) ?? []), pair]);
  }
}
for (const [name, pairs] of figures) report(name, pairs);

/** Starts both services and returns the medians of their turns, by request. */
async function runRound(): Promise<ReadonlyMap<string, Pair>> {
  const before = new Side(other ?? "", process.env.DATABASE_BEFORE);
  const after = new Side(".", process.env.DATABASE);
  const pairs = new Map<string, Pair>();
  try {
    const start = { before: await before.start(), after: await after.start() };
    for (const [name, row] of Object.entries(ROWS)) {
      if (values.only !== undefined && !values.only.split(",").includes(name)) continue;
      // The first turn of each warms up.
      await row(before);
      await row(after);
      const turns: Pair[] = [];
      for (let turn = 0; turn < TURNS; turn += 1) {
        turns.push({ before: await row(before), after: await row(after) });
      }
      pairs.set(name, {
        before: median(turns.map((turn) => turn.before)),
        after: median(turns.map((turn) => turn.after)),
      });
    }
    if (values.only !== undefined) return pairs;
    return pairs.set("start", start).set("memory", { before: before.memory, after: after.memory });
  } finally {
    await before.stop();
    await after.stop();
  }
}

/** Prints the median of the ratios of all rounds, and the least and the greatest. */
function report(name: string, pairs: readonly Pair[]): void {
  const floor = FLOORS[name] ?? 0;
  const ratios = pairs.map(({ before, after }) => before / after);
  const [ratio, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  const ms = pairs.map(({ before, after }) => `${before.toFixed(0)}/${after.toFixed(0)}`);
  console.log(
    `${ratio < floor ? "BELOW" : "ok   "} ${name}: ${ratio.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)}, floor ${floor.toFixed(2)}; before/now ${ms.join(" ")})`,
  );
}
