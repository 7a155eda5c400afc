import { execFileSync } from "node:child_process";
import { isVarnishInstalled, startVarnish, type Varnish } from "../../test/edge/varnish.ts";
import { send } from "../../test/harness/http.ts";
import { sendHttp1 } from "./http1-load.ts";
import { type BenchRequest, measureLoads, median } from "./load.ts";
import { byGet, filteredEvents, firstEvents, listEvents } from "./requests.ts";
import { createServers } from "./servers.ts";
import { createTable } from "./table.ts";

// `npm run bench:edge`: Varnish with the configuration of the compose file in front of two processes on one database,
// all on this machine. Needs Debian's packages `varnish` and `varnish-modules`.
const ADDRESSES = 2_000;
const CONNECTIONS = 16;
const ROUNDS = 5;
/** How long readers read while events are changed and purged, in seconds. */
const CHANGING_SECONDS = 10;
const PROJECT = "worldcup";
const EVENT = "match-2026-104";

if (!isVarnishInstalled) throw new Error("apt-get install varnish varnish-modules");
const table = createTable();
const servers = createServers("edge", undefined);
let varnish: Varnish | undefined;
try {
  const { server: first, demo } = await servers.serveDemo();
  const { server: second } = await servers.serveDemo();
  const running = await startVarnish([first.port, second.port]);
  varnish = running;
  const [project] = demo.projects;
  const credential = { authorization: `Bearer ${project?.public_key}` };
  const requests = Array.from({ length: ADDRESSES }, (_, number) => {
    const filter = `start_time >= "${new Date(number * 3_600_000).toISOString()}"`;
    return filteredEvents(filter, "start_time desc", credential).get;
  });

  table.add("responses not cached yet (responses/s)", await readOnce(running, requests));
  const list = firstEvents(credential);
  const throughVarnish = { ...byGet(first, list), server: { ...first, port: running.port } };
  const hot = await measureLoads(
    new Map([
      ["kept", throughVarnish],
      ["bare", byGet(await servers.startPeer("bare", byGet(first, list)), list)],
      ["direct", byGet(first, list)],
    ]),
    { rounds: ROUNDS, seconds: 2 },
  );
  table.add("cached responses (responses/s)", hot.rate("kept"));
  table.add("cached responses, of bare `node:http`", hot.ratio("kept", "bare"));
  table.add("cached responses, of Marquee's own hot responses", hot.ratio("kept", "direct"));

  for (const [name, headers] of [
    ["purge", {}],
    ["soft purge", { "soft-purge": "1" }],
  ] as const) {
    const purges: number[] = [];
    const refills: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await readOnce(running, requests);
      const start = performance.now();
      await running.purge(PROJECT, headers);
      purges.push(performance.now() - start);
      refills.push(await readOnce(running, requests));
    }
    table.add(`${name} of a project with ${ADDRESSES} responses (ms)`, median(purges));
    table.add(`all of them after that ${name} (responses/s)`, median(refills));
  }

  const before = readCounts(running);
  let changes = 0;
  const end = performance.now() + CHANGING_SECONDS * 1_000;
  const isOver = () => performance.now() >= end;
  const pages = [requests[0], requests[1], listEvents({ pageSize: 20 }, credential).get];
  const reading = Promise.all(
    Array.from({ length: CONNECTIONS }, (_, reader) => {
      let turn = reader;
      return sendHttp1({
        ...{ port: running.port, status: 200 },
        next: () =>
          isOver() ? undefined : turn++ % 4 > 0 ? pages[turn % 3] : requests[turn % ADDRESSES],
      });
    }),
  );
  while (!isOver()) {
    const changed = await send("PATCH", `${running.url}/cms/events/v1/${EVENT}`, {
      token: demo.accounts.owner,
      headers: { "x-project-id": PROJECT },
      body: { event: { title: { en: `Final ${changes}` } }, update_mask: "title" },
    });
    if (changed.status !== 200) throw new Error(changed.text);
    await running.purge(`${PROJECT}/events/${EVENT} ${PROJECT}/events`);
    changes += 1;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  const reads = (await reading).reduce((sum, count) => sum + count, 0);
  const after = readCounts(running);
  const misses = after.misses - before.misses;
  table.add(
    `reads of ${ADDRESSES} lists while an event changes each second (responses/s)`,
    reads / CHANGING_SECONDS,
  );
  table.add(
    "hit ratio of these reads",
    `${(100 * (1 - misses / reads)).toFixed(2)} %, ${changes} changes`,
  );
} finally {
  await varnish?.stop();
  await servers.close();
}
console.log(table.print());

/** Reads every URL once, over several connections; returns the responses per second. */
async function readOnce({ port }: Varnish, requests: readonly BenchRequest[]): Promise<number> {
  const left = requests.values();
  const start = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      sendHttp1({ port, status: 200, next: () => left.next().value }),
    ),
  );
  return (requests.length * 1_000) / (performance.now() - start);
}

/** Reads how many requests Varnish has served from its memory, and how many not. */
function readCounts({ folder }: Varnish): { readonly hits: number; readonly misses: number } {
  const output = execFileSync("varnishstat", ["-n", folder, "-j"], { encoding: "utf8" });
  const { counters } = JSON.parse(output);
  return { hits: counters["MAIN.cache_hit"].value, misses: counters["MAIN.cache_miss"].value };
}
