import { join } from "node:path";
import { PageService } from "../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { ALPHA } from "../../test/storage/small-dataset.ts";
import {
  createEventFile,
  type EventDatabase,
  importEvents,
  measureOnEngines,
} from "./event-database.ts";
import { measureLatencies } from "./latency.ts";
import type { ServerProcess } from "./processes.ts";
import { QUERY_KINDS } from "./queries.ts";
import { byGet, createCall, filteredEvents, readResponse } from "./requests.ts";
import type { Bench } from "./section.ts";

/** The numbers that a list returns with its page. */
const COUNTS = {
  "without counts": {},
  "with its total": { includeTotal: true },
  "with its total and two facets": {
    includeTotal: true,
    facets: ["content_type", "fields.season.id"],
  },
};

/** The filters of a rail, by what a preview has to find out about their paths. */
const FILTERS: Readonly<Record<string, string>> = {
  "no path": "",
  "a path of every event": "content_type: match",
  "a path below fields that events have": 'fields.season.id: "1990"',
  "a path below fields that no event has": 'content_type: match or fields.sesion: "1990"',
  "20 paths that no event has": [
    "content_type: match",
    ...Array.from({ length: 20 }, (_, it) => `fields.sesion${it}: x`),
  ].join(" or "),
};

/** A count takes many times as long as a page. */
const MOST_REQUESTS = 10;

/** Measures lists with totals and facets, and pages whose filters get warnings, on each engine. */
export function measureCounts(bench: Bench): Promise<void> {
  return measureOnEngines(bench.servers, (engine, database) => measureOn(engine, database, bench));
}

async function measureOn(
  engine: string,
  subject: EventDatabase,
  { plan, table, servers }: Bench,
): Promise<void> {
  const { events } = plan;
  const file = await createEventFile(join(servers.folder, "counts.ndjson"), events);
  const rate = await importEvents(file, subject.database, events);
  table.add(`import of ${events} events, ${engine} (events/s)`, rate);
  const server = await servers.serve(subject.database, { flags: ["--cache-mib", "0"] });
  const turns = { rounds: 3, requests: Math.min(plan.requests, MOST_REQUESTS) };

  for (const { name, filterOf, order } of QUERY_KINDS) {
    const loads = Object.entries(COUNTS).map(([what, counts]) => {
      const calls = Array.from({ length: turns.requests }, (_, number) =>
        filteredEvents(filterOf(number), order, subject.credential, counts),
      );
      return [what, byGet(server, ...calls)] as const;
    });
    const measured = await measureLatencies(Object.fromEntries(loads), turns);
    for (const [what, { p50 }] of Object.entries(measured)) {
      table.add(`${name}, ${what}, ${events} events, ${engine}, p50 (ms)`, p50);
    }
  }
  for (const [what, filter] of Object.entries(FILTERS)) {
    const { first, p50 } = await measurePage(server, subject, filter, turns);
    const work = `previewed rail that filters by ${what}, ${events} events, ${engine}`;
    table.add(`${work}, after a write (ms)`, first);
    table.add(`${work}, p50 (ms)`, p50);
  }
}

/** Measures a page with one rail, as an editor with an access token sees it. */
async function measurePage(
  server: ServerProcess,
  { owner }: EventDatabase,
  filter: string,
  turns: Parameters<typeof measureLatencies>[1],
) {
  const slug = `bench-${Object.values(FILTERS).indexOf(filter)}`;
  const headers = { ...owner, "content-type": "application/json" };
  const create = async (path: string, value: object) => {
    const body = JSON.stringify({ project_id: ALPHA, ...value });
    return (await readResponse({ server, requests: [{ method: "POST", path, headers, body }] }))
      .json;
  };
  const { page } = await create("/ott/pages/v1", { slug });
  const rail = { type: "BASE_TYPE_EVENT", filter };
  await create(`/ott/page_components/v2?page_id=${page.id}`, { type: "rail", rail });
  const editor = { ...owner, "x-project-id": ALPHA };
  const call = createCall(PageService.method.getPage, { slug, includeItems: true }, editor);
  const load = byGet(server, call);
  const start = performance.now();
  await readResponse(load);
  const first = performance.now() - start;
  const { preview } = await measureLatencies({ preview: load }, turns);
  return { first, p50: preview.p50 };
}
