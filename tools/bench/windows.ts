import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Event } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { WindowSchema } from "../../gen/svc/type/v1/window_pb.ts";
import { ALPHA } from "../../test/storage/small-dataset.ts";
import {
  createEventFile,
  type EventDatabase,
  importEvents,
  measureOnEngines,
} from "./event-database.ts";
import { measureLatencies } from "./latency.ts";
import { QUERY_KINDS } from "./queries.ts";
import { byGet, type Credential, filteredEvents } from "./requests.ts";
import type { Bench } from "./section.ts";

/** A project: the percentage of its events whose windows have ended, and the least speed of its lists as a ratio. */
const PROJECTS = [
  { id: "one", name: "one ended window", percentage: 0, bar: 0.85 },
  { id: "fifth", name: "a fifth ended", percentage: 20, bar: 0.75 },
  { id: "most", name: "99 % ended", percentage: 99, bar: 0.25 },
];

const ENDED = create(WindowSchema, { endTime: timestampFromDate(new Date("2020-01-01")) });

/** Measures lists of projects with more and more ended windows in turns with one without windows, on each engine. */
export function measureWindows(bench: Bench): Promise<void> {
  const measure = (engine: string, database: EventDatabase) => measureOn(engine, database, bench);
  return measureOnEngines(
    bench.servers,
    measure,
    PROJECTS.map(({ id }) => id),
  );
}

async function measureOn(
  engine: string,
  { database, credential, others }: EventDatabase,
  { plan, table, servers }: Bench,
): Promise<void> {
  const { events } = plan;
  const importInto = async (id: string, fieldsOf: (number: number) => Partial<Event>) => {
    const path = join(servers.folder, `windows-${id}.ndjson`);
    const fields = (number: number) => ({ id: `${id}-${number}`, ...fieldsOf(number) });
    await importEvents(await createEventFile(path, events, id, fields), database, events);
  };
  await importInto(ALPHA, () => ({}));
  for (const { id, percentage } of PROJECTS) {
    const isEnded = (number: number) => number === 0 || number % 100 < percentage;
    await importInto(id, (number) => (isEnded(number) ? { availability: ENDED } : {}));
  }
  const server = await servers.serve(database, { flags: ["--cache-mib", "0"] });
  const requests = Math.min(plan.requests, 50);
  for (const { name, filterOf, order } of QUERY_KINDS) {
    const toLoad = (credential: Credential) => {
      const calls = Array.from({ length: requests }, (_, number) =>
        filteredEvents(filterOf(number), order, credential),
      );
      return byGet(server, ...calls);
    };
    const loads = Object.entries({ [ALPHA]: credential, ...others }).map(
      ([id, own]) => [id, toLoad(own)] as const,
    );
    const turns = { rounds: plan.rounds, requests };
    const measured = await measureLatencies(Object.fromEntries(loads), turns);
    const p50Of = (id: string) => measured[id]?.p50 ?? Number.NaN;
    for (const { id, name: ending, bar } of PROJECTS) {
      const ratio = p50Of(ALPHA) / p50Of(id);
      table.add(`${name}, ${ending} of ${events} events, ${engine}`, ratio, `at least ${bar}`);
    }
  }
}
