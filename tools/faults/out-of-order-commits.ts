import { setTimeout } from "node:timers/promises";
import { ORGANIZATION } from "../../demo/ids.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { getUrl, PROCEDURES } from "../../test/harness/calls.ts";
import { send } from "../../test/harness/http.ts";
import { measureCpuWait } from "./cpu-wait.ts";
import { startDatabaseServer } from "./database-server.ts";
import type { Fault } from "./fault.ts";
import { startService } from "./service.ts";
import { RULESETS, startWriters, toSandboxRuleset } from "./writers.ts";

/** Processes that poll for changes. */
const PROCESSES = 3;

/** The longest time that a transaction stays open after its change, in milliseconds: several polls. */
const LONGEST_HELD = 1_500;

/** The time within which a change must be read everywhere after its commit, in milliseconds. */
const SEEN = 1_000;

/** The event that they change. */
const EVENT = "match-2026-104";

/** Commits transactions late that took their ids early, while others take later ones and commit. */
export const fault: Fault = {
  title: "transactions that commit out of their order",
  engines: ["postgres"],

  async run(run) {
    const rounds = run.isQuick ? 5 : 60;
    const server = await startDatabaseServer();
    const { owner: token } = server.credentials.accounts;
    const key = server.credentials.projects[0]?.public_key ?? "";
    const services = await Promise.all(
      Array.from({ length: PROCESSES }, () => startService({ database: server.setting })),
    );
    const pids = [process.pid, ...services.map(({ pid }) => pid)];
    const urls = services.map(({ url }) => url);
    // Their ids are later, and they commit at once.
    const writers = startWriters({
      ...{ url: urls[0] ?? "", token, prefix: "ordered-", count: 2, pause: 5 },
      ...{ path: RULESETS, toBody: toSandboxRuleset },
    });
    const store = await openPostgresStore({ engine: "postgres", url: server.setting });
    let missed = 0;
    let slowest = 0;
    let passed = 0;
    for (let round = 0; round < rounds; round += 1) {
      const title = `Round ${round}`;
      const before = writers.acknowledged.size;
      await changeLate(store, title);
      passed += writers.acknowledged.size - before;
      const start = performance.now();
      const readWait = measureCpuWait(pids);
      const times = await Promise.all(
        urls.map(async (url) => {
          while (performance.now() < start + 10_000) {
            if (await reads(url, key, title)) return performance.now() - start - readWait();
            await setTimeout(5);
          }
          return Number.POSITIVE_INFINITY;
        }),
      );
      missed += times.filter((it) => it === Number.POSITIVE_INFINITY).length;
      slowest = Math.max(slowest, ...times.filter(Number.isFinite));
    }
    await writers.stop();
    run.report("rounds, and processes", `${rounds}, ${PROCESSES}`);
    run.check("commits of later transactions before those", passed, passed > rounds);
    run.check("changes missed", missed, missed === 0);
    run.check(
      `slowest reading of one in ms, without waits for a processor, at most ${SEEN}`,
      Math.round(slowest),
      slowest <= SEEN,
    );
    await store.close();
    for (const service of services) {
      run.check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    }
    await server.close();
  },
};

/** Changes an event in a transaction that stays open for a random time, after it has taken its id. */
async function changeLate(store: Store, title: string): Promise<void> {
  await store.transaction({ projectIds: ["worldcup"] }, async (unit) => {
    await unit.in(ORGANIZATION).documents.event.update(EVENT, ({ value }) => ({
      ...value,
      title: { en: title },
    }));
    await setTimeout(Math.random() * LONGEST_HELD);
  });
}

/** Reports whether a process returns a title. */
async function reads(url: string, key: string, title: string): Promise<boolean> {
  const message = { filter: `id: "${EVENT}"` };
  const { status, text } = await send("GET", url + getUrl(PROCEDURES.listEvents, message), {
    headers: { authorization: `Bearer ${key}` },
  });
  if (status !== 200) throw new Error(`not read: ${text}`);
  return text.includes(`"${title}"`);
}
