import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { WindowSchema } from "../../gen/svc/type/v1/window_pb.ts";
import {
  createEventFile,
  type EventDatabase,
  importEvents,
  measureOnEngines,
} from "./event-database.ts";
import { measureLatencies } from "./latency.ts";
import { QUERY_KINDS } from "./queries.ts";
import { byGet, filteredEvents } from "./requests.ts";
import type { Bench } from "./section.ts";

/** The percentage of events whose windows have ended, one event at least, and the least speed of lists as a ratio. */
const ENDINGS = [
  { name: "one ended window", percentage: 0, bar: 0.85 },
  { name: "a fifth ended", percentage: 20, bar: 0.75 },
  { name: "99 % ended", percentage: 99, bar: 0.25 },
];

const ENDED = create(WindowSchema, { endTime: timestampFromDate(new Date("2020-01-01")) });

/** Measures lists of events with more and more ended windows, on each engine. */
export function measureWindows(bench: Bench): Promise<void> {
  return measureOnEngines(bench.servers, (engine, database) => measureOn(engine, database, bench));
}

async function measureOn(
  engine: string,
  { database, credential }: EventDatabase,
  { plan, table, servers }: Bench,
): Promise<void> {
  const { events } = plan;
  const path = (name: string) => join(servers.folder, `windows-${name}.ndjson`);
  await importEvents(await createEventFile(path("none"), events), database, events);
  const server = await servers.serve(database, { flags: ["--cache-mib", "0"] });
  const turns = { rounds: plan.rounds, requests: Math.min(plan.requests, 50) };
  const measure = () => {
    const loads = QUERY_KINDS.map(({ name, filterOf, order }) => {
      const calls = Array.from({ length: turns.requests }, (_, number) =>
        filteredEvents(filterOf(number), order, credential),
      );
      return [name, byGet(server, ...calls)] as const;
    });
    return measureLatencies(Object.fromEntries(loads), turns);
  };
  const before = await measure();
  for (const { name: ending, percentage, bar } of ENDINGS) {
    const isEnded = (number: number) => number === 0 || number % 100 < percentage;
    const file = await createEventFile(path(String(percentage)), events, undefined, (number) =>
      isEnded(number) ? { availability: ENDED } : {},
    );
    await importEvents(file, database, events);
    for (const [name, { p50 }] of Object.entries(await measure())) {
      const ratio = (before[name]?.p50 ?? 0) / p50;
      table.add(`${name}, ${ending} of ${events} events, ${engine}`, ratio, `at least ${bar}`);
    }
  }
}
