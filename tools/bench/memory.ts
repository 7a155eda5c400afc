import { devNull } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DemoFile } from "../../demo/demo-file.ts";
import { WORLD_CUP } from "../../demo/ids.ts";
import { readMemory, readOwnMemory, readPeakMemory } from "../../test/harness/process-usage.ts";
import { createEventFile, importEvents } from "./event-database.ts";
import { type Load, sendLoad } from "./load.ts";
import type { ServerProcess } from "./processes.ts";
import { QUERY_KINDS } from "./queries.ts";
import {
  byGet,
  byGrpc,
  byPost,
  chooseEventIds,
  filteredEvents,
  firstEvents,
  homePage,
  newestMatches,
  oneEvent,
} from "./requests.ts";
import type { Bench } from "./section.ts";
import { createPatches } from "./studio.ts";

/** Different requests for lists and for events: their responses do not fit into the cache. */
const DIFFERENT = 20_000;

/**
 * Measures the memory of one process with the default settings. It loads the demo and rests. Then events are imported
 * into the demo's project, and the process serves reads and writes of every kind.
 */
export async function measureMemory({ plan, table, servers }: Bench): Promise<void> {
  const { folder } = servers;
  const { rest, seconds, minutes, storedEvents } = plan;
  const { server, demo } = await servers.serveDemo({ log: devNull });
  await sleep(rest * 1_000);
  table.add("memory at rest after loading the demo (RSS, MB)", readMemory(server.pid));

  const file = await createEventFile(join(folder, "events.ndjson"), storedEvents, WORLD_CUP);
  await importEvents(file, `sqlite:${join(folder, "demo.db")}`, storedEvents);
  const works = createWorks(server, demo, storedEvents);
  const end = performance.now() + minutes * 60_000;
  do {
    for (const work of works) await sendLoad(work, seconds);
  } while (performance.now() < end);
  table.add("memory right after reads and writes of every kind (RSS, MB)", readMemory(server.pid));
  await sleep(rest * 1_000);
  table.addGoal("memoryAfter", readMemory(server.pid), minutes > 0 ? `, ${minutes} minutes` : "");
  table.add("the same without pages of files, such as Node's code (MB)", readOwnMemory(server.pid));
  table.add("most memory of the process until then (RSS, MB)", readPeakMemory(server.pid));
  await server.stop();
  const { server: another } = await servers.serveDemo();
  await sleep(rest * 1_000);
  table.addGoal("memoryAtRest", readMemory(another.pid));
}

/** Creates the loads; the last ones fill the cache, which a write empties. */
function createWorks(server: ServerProcess, demo: DemoFile, events: number): readonly Load[] {
  const credential = { authorization: `Bearer ${demo.projects[0]?.public_key}` };
  const list = firstEvents(credential);
  const page = homePage(credential);
  const matches = Array.from({ length: DIFFERENT }, (_, it) => newestMatches(it, credential));
  const ids = chooseEventIds(events, Math.min(events / 2, DIFFERENT));
  const queries = QUERY_KINDS.flatMap(({ filterOf, order }) =>
    Array.from({ length: 200 }, (_, it) => filteredEvents(filterOf(it), order, credential)),
  );
  return [
    { server, requests: createPatches(demo) },
    byGet(server, list),
    byPost(server, list),
    byGrpc(server, list),
    byGet(server, page),
    byPost(server, page),
    byGrpc(server, page),
    byGet(server, ...ids.map((id) => oneEvent(id, credential))),
    byGet(server, ...queries),
    byPost(server, ...matches),
    byGrpc(server, ...matches),
    byGet(server, ...matches),
  ];
}
