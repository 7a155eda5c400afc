import { rmSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { createEventFile, importEvents, prepareDatabase } from "./event-database.ts";
import { measureLatencies, readBody, summarize } from "./latency.ts";
import type { ServerProcess } from "./processes.ts";
import { QUERY_KINDS, type QueryKind } from "./queries.ts";
import { byGet, type Credential, filteredEvents, listEvents } from "./requests.ts";
import type { Bench } from "./section.ts";
import type { Servers } from "./servers.ts";

/** Two of three events are on the pages. */
const EVENTS_OF_DEEP_PAGES = 40_000;

/** Measures the import, filtered first pages over all events and over a hundredth of them, and deep pages. */
export async function measureManyEvents({ plan, table, servers }: Bench): Promise<void> {
  const { events } = plan;
  const few = events / 100;
  const of = events === 1_000_000 ? "" : ` (${events} events)`;
  const large = await importInto(servers, "many", events);
  const small = await importInto(servers, "few", few);
  table.addGoal("import", large.rate, of);

  for (const kind of QUERY_KINDS) {
    const loads = { large: toLoad(large, kind, plan), small: toLoad(small, kind, plan) };
    const measured = await measureLatencies(loads, plan);
    const { p50, p99 } = measured.large;
    if (kind.name === "two values joined") table.addGoal("joined", p50, of);
    else table.add(`${kind.name}, ${events} events, p50 (ms)`, p50, "under 3");
    table.add(`${kind.name}, ${events} events, p99 (ms)`, p99, "under 15");
    const growth = p50 / measured.small.p50;
    table.add(`${kind.name}, growth of p50 from ${few} events`, growth, "at most 3");
  }
  await compareOrders(table, large, plan);
  if (events < EVENTS_OF_DEEP_PAGES) return;
  const growth = await measureDeepPages(large);
  table.add("pages around the 1,000th, of those around the 40th, p50", growth, "about 1");
}

/** Compares the orders of all events with the order by time, in alternation. */
async function compareOrders(
  table: Bench["table"],
  subject: Subject,
  plan: Bench["plan"],
): Promise<void> {
  const kinds = QUERY_KINDS.filter(({ filterOf }) => filterOf(0) === "");
  const loads = Object.fromEntries(kinds.map((kind) => [kind.name, toLoad(subject, kind, plan)]));
  const measured = await measureLatencies(loads, plan);
  const [byTime, ...others] = kinds.map(({ name }) => ({ name, p50: measured[name]?.p50 ?? 0 }));
  for (const { name, p50 } of others) {
    table.add(`${name}, p50 of everything by time`, p50 / (byTime?.p50 ?? 0), "at most 2");
  }
}

interface Subject {
  readonly server: ServerProcess;
  readonly credential: Credential;
  /** Events imported per second. */
  readonly rate: number;
}

async function importInto(servers: Servers, name: string, events: number): Promise<Subject> {
  const path = join(servers.folder, name);
  const { database, credential } = await prepareDatabase({ engine: "sqlite", path: `${path}.db` });
  const file = await createEventFile(`${path}.ndjson`, events);
  const rate = await importEvents(file, database, events);
  rmSync(file);
  const server = await servers.serve(database, { flags: ["--cache-mib", "0"] });
  return { server, credential, rate };
}

function toLoad(
  { server, credential }: Subject,
  { filterOf, order }: QueryKind,
  { requests }: { readonly requests: number },
) {
  const calls = Array.from({ length: requests }, (_, number) =>
    filteredEvents(filterOf(number), order, credential),
  );
  return byGet(server, ...calls);
}

/** Reads a common value's list page by page; returns how much longer pages around the 1,000th take. */
async function measureDeepPages({ server, credential }: Subject): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  let pageToken = "";
  for (let page = 0; page < 1_020; page += 1) {
    const message = { filter: "content_type: match", order: "start_time asc", pageToken };
    const { get } = listEvents(message, credential);
    const start = performance.now();
    const text = await readBody(server.port, get, agent);
    times.push(performance.now() - start);
    pageToken = (JSON.parse(text) as { nextPageToken: string }).nextPageToken;
  }
  agent.destroy();
  return summarize(times.slice(980)).p50 / summarize(times.slice(20, 60)).p50;
}
