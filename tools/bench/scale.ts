import { join } from "node:path";
import pg from "pg";
import type { DatabaseLocation } from "../../src/storage/open.ts";
import { startPostgres, toDatabaseUrl } from "../../test/harness/postgres-server.ts";
import { readCpuTimeOfAll } from "../../test/harness/process-usage.ts";
import { readArguments, rejectArguments } from "../arguments.ts";
import { createEventFile, importEvents, prepareDatabase } from "./event-database.ts";
import { measureLatencies } from "./latency.ts";
import { type BenchRequest, type Load, measureLoads, sendLoad } from "./load.ts";
import { QUERY_KINDS } from "./queries.ts";
import {
  byGet,
  type Credential,
  chooseEventIds,
  filteredEvents,
  firstEvents,
  newestMatches,
  oneEvent,
} from "./requests.ts";
import { createServers } from "./servers.ts";

// `npm run bench:scale`: both engines, one and two workers, and databases of several sizes. Server, PostgreSQL and load
// share the machine's cores; PostgreSQL syncs to disk, as SQLite does. Needs Linux and two cores.
//
//   npm run bench:scale -- 10000 100000     sizes, in events
//   npm run bench:scale -- --quick          a short run, to try the benchmark out
const WORKERS = [1, 2] as const;
const REQUESTS = 1_000;
const PATCHED = "/ott/page_components/v2/page_component-1";

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
});
const plan = values.quick
  ? { rounds: 1, seconds: 1, requests: 50 }
  : { rounds: 5, seconds: 3, requests: 300 };
const sizes = positionals.length > 0 ? positionals.map(Number) : [10_000, 100_000, 1_000_000];
if (!sizes.every((it) => it >= 1_000))
  rejectArguments(`sizes are numbers of events from 1000 on, not ${positionals}`);

const COLUMNS = ["SQLite, 1", "SQLite, 2", "PostgreSQL, 1", "PostgreSQL, 2"] as const;

/** The values of a row by column: an engine and a number of workers. */
type Cells = Readonly<Record<string, number>>;

/** Loads by column. */
type Loads = Record<string, Load>;

const rows: string[] = [];

const servers = createServers("scale", undefined);
const postgres = await startPostgres({ isDurable: true });
try {
  for (const events of sizes) await measureSize(events);
} finally {
  await servers.close();
  await postgres.stop();
}
console.log(
  [
    toRow("Work", "Events", ...COLUMNS),
    toRow("---", "--:", ...COLUMNS.map(() => "--:")),
    ...rows,
  ].join("\n"),
);

async function measureSize(events: number): Promise<void> {
  const file = await createEventFile(join(servers.folder, `${events}.ndjson`), events);
  const addresses: Readonly<Record<string, DatabaseLocation>> = {
    SQLite: { engine: "sqlite", path: join(servers.folder, `${events}.db`) },
    PostgreSQL: { engine: "postgres", url: await createDatabase(`events_${events}`) },
  };
  const imports: Record<string, number> = {};
  const loads = { cold: {} as Loads, event: {} as Loads, hot: {} as Loads, patch: {} as Loads };
  const queries = QUERY_KINDS.map((kind) => ({ ...kind, loads: {} as Loads }));
  for (const [engine, address] of Object.entries(addresses)) {
    const { database, credential, owner } = await prepareDatabase(address);
    imports[`${engine}, 1`] = await importEvents(file, database, events);
    for (const workers of WORKERS) {
      const name = `${engine}, ${workers}`;
      const flags = ["--workers", `${workers}`];
      const cold = await servers.serve(database, { flags: [...flags, "--cache-mib", "0"] });
      const hot = await servers.serve(database, { flags });
      const numbers = Array.from({ length: REQUESTS }, (_, number) => number);
      const lists = numbers.map((number) => newestMatches(number * 70, credential));
      const ids = chooseEventIds(events, Math.min(REQUESTS, events / 4));
      loads.cold[name] = byGet(cold, ...lists);
      loads.event[name] = byGet(cold, ...ids.map((id) => oneEvent(id, credential)));
      loads.hot[name] = byGet(hot, firstEvents(credential));
      loads.patch[name] = { server: hot, requests: createPatches(owner) };
      if (workers > 1) continue;
      for (const query of queries) {
        const calls = Array.from({ length: plan.requests }, (_, number) =>
          filteredEvents(query.filterOf(number), query.order, credential),
        );
        query.loads[name] = byGet(cold, ...calls);
      }
    }
  }
  report(events, "import (events/s)", imports);

  for (const [work, key] of [
    ["cold list, equality and range (responses/s)", "cold"],
    ["cold event (responses/s)", "event"],
    ["hot list (responses/s)", "hot"],
    ["`PATCH` of one page component by 16 clients (writes/s)", "patch"],
  ] as const) {
    const each = loads[key];
    const measured = await measureLoads(new Map(Object.entries(each)), plan);
    const cells = Object.keys(each).map((name) => [name, measured.rate(name)]);
    report(events, work, Object.fromEntries(cells));
    if (key === "hot") continue;
    const cpu = Object.keys(each).map((name) => [name, measured.cpu(name)]);
    report(events, `${work.split(" (")[0]}, CPU of Marquee (ms)`, Object.fromEntries(cpu));
    const own = await measurePostgres(each);
    report(events, `${work.split(" (")[0]}, CPU of PostgreSQL (ms)`, own);
  }
  for (const { name, loads: each } of queries) {
    const measured = await measureLatencies(each, plan);
    const of = (part: "p50" | "p99") =>
      Object.fromEntries(Object.entries(measured).map(([it, value]) => [it, value[part]]));
    report(events, `cold list, ${name}, p50 (ms)`, of("p50"));
    report(events, `cold list, ${name}, p99 (ms)`, of("p99"));
  }
  await servers.stopAll();
}

/** Measures the CPU time that the database server uses for a response of each load that it serves. */
async function measurePostgres(loads: Readonly<Record<string, Load>>): Promise<Cells> {
  const cells: Record<string, number> = {};
  for (const [name, load] of Object.entries(loads)) {
    if (!name.startsWith("PostgreSQL")) continue;
    const before = readCpuTimeOfAll(postgres.pid);
    const { rate } = await sendLoad(load, plan.seconds);
    cells[name] = (readCpuTimeOfAll(postgres.pid) - before) / (rate * plan.seconds);
  }
  return cells;
}

function report(events: number, work: string, cells: Cells): void {
  const row = toRow(work, `${events}`, ...COLUMNS.map((it) => toText(cells[it])));
  rows.push(row);
  console.error(row);
}

function toRow(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function toText(value: number | undefined): string {
  if (value === undefined) return "";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function createPatches(owner: Credential): readonly BenchRequest[] {
  return Array.from({ length: REQUESTS }, (_, number) => ({
    ...{ method: "PATCH", path: PATCHED },
    headers: { ...owner, "content-type": "application/json" },
    body: JSON.stringify({ page_component_update: { name: `n${number}` }, update_mask: "name" }),
  }));
}

async function createDatabase(name: string): Promise<string> {
  const client = new pg.Client({
    connectionString: toDatabaseUrl(postgres.socketFolder, "postgres"),
  });
  await client.connect();
  await client.query(`create database ${name} template template0`);
  await client.end();
  return toDatabaseUrl(postgres.socketFolder, name);
}
