import { join } from "node:path";
import { keepOffServerCore, SERVER_CORE } from "./cores.ts";
import { createEventFile, importEvents, prepareDatabase } from "./event-database.ts";
import { type Load, measureLoads } from "./load.ts";
import {
  byGet,
  byGrpc,
  byPost,
  chooseEventIds,
  firstEvents,
  newestMatches,
  oneEvent,
} from "./requests.ts";
import type { Bench } from "./section.ts";

/** Requests of a kind, each with values of its own. */
const KINDS_OF_REQUESTS = 1_000;

/** Measures reads without a cache, every server on the same core and the load on the other. */
export function measureColdReads(bench: Bench): Promise<void> {
  return keepOffServerCore(() => measure(bench));
}

async function measure({ plan, table, servers }: Bench): Promise<void> {
  const { storedEvents } = plan;
  const path = join(servers.folder, "cold.db");
  const { database, credential } = await prepareDatabase({ engine: "sqlite", path });
  const file = await createEventFile(join(servers.folder, "cold.ndjson"), storedEvents);
  await importEvents(file, database, storedEvents);
  const core = SERVER_CORE;
  const marquee = await servers.serve(database, { flags: ["--cache-mib", "0"], core });

  const lists = Array.from({ length: KINDS_OF_REQUESTS }, (_, number) =>
    newestMatches(number * 70, credential),
  );
  const events = chooseEventIds(storedEvents, KINDS_OF_REQUESTS).map((id) =>
    oneEvent(id, credential),
  );
  const plain = firstEvents(credential);
  const list = byGet(marquee, ...lists);
  const event = byGet(marquee, ...events);
  const measured = await measureLoads(
    new Map<string, Load>([
      ["bare list", byGet(await servers.startPeer("bare", list, { core }), ...lists)],
      ["list", list],
      ["list by POST", byPost(marquee, ...lists)],
      ["list by gRPC", byGrpc(marquee, ...lists)],
      ["connect list", byGet(await servers.startPeer("connect", list, { core }), ...lists)],
      ["plain list", byGet(marquee, plain)],
      ["bare event", byGet(await servers.startPeer("bare", event, { core }), ...events)],
      ["event", event],
      ["event by POST", byPost(marquee, ...events)],
      ["event by gRPC", byGrpc(marquee, ...events)],
    ]),
    plan,
  );

  const { cpu, busy, ratio, cpuRatio } = measured;
  const of = storedEvents === 100_000 ? "" : ` (${storedEvents} events)`;
  table.addGoal("coldList", ratio("list", "bare list"), of);
  table.addGoal("coldListCpu", cpu("list"), of);
  table.addGoal("coldEventCpu", cpu("event"), of);
  table.addGoal("coldEvent", ratio("event", "bare event"), of);
  table.addGoal("coldListPost", cpuRatio("list by POST", "list"), of);
  table.addGoal("coldEventPost", cpuRatio("event by POST", "event"), of);
  table.add("cold list by gRPC, CPU of the same by GET", cpuRatio("list by gRPC", "list"));
  table.add("cold event by gRPC, CPU of the same by GET", cpuRatio("event by gRPC", "event"));
  for (const [name, work] of [
    ["list", "the cold list"],
    ["event", "the cold event"],
  ] as const) {
    const bare = `bare ${name}`;
    table.add(`bare \`node:http\`, the response of ${work} (ms CPU)`, cpu(bare));
    table.add(`CPU of bare, of the CPU of ${work}`, cpuRatio(bare, name));
    table.add("core used by bare (1: the load was no limit)", busy(bare));
  }
  const connect = "of connect-node with a ready message";
  table.add(`cold list, ${connect}`, ratio("list", "connect list"), "at least 0.6");
  table.add("cold list without a filter (ms CPU)", cpu("plain list"));
}
