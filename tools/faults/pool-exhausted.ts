import { setTimeout } from "node:timers/promises";
import { startDatabaseServer } from "./database-server.ts";
import type { Fault } from "./fault.ts";
import { checkWrites } from "./outbox-load.ts";
import { startService } from "./service.ts";
import { checkProbe, checkRecovery, startServiceProbes } from "./service-probes.ts";
import { listRulesets, RULESETS, startWriters, toRuleset } from "./writers.ts";

/** Writers of one project, more than a process has connections for. */
const WRITERS = 32;

/** How long another client holds a lock, in milliseconds. */
const HELD = 20_000;
const QUICK_HELD = 12_000;

/** The time that a busy machine adds to the times of the engine's README, in milliseconds. */
const BUSY = 1_500;

/** The longest that a read waits for its statement, in milliseconds. */
const READ = 10_000 + BUSY;

/** The longest that a statement waits for a lock, in milliseconds. */
const LOCK = 5_000 + BUSY;

/** The longest that a write waits for a connection and then for its statement, in milliseconds. */
const WRITE = 10_000 + READ;

/** The time within which a change is seen everywhere, in milliseconds. */
const SEEN = 1_000;

/** The longest time of health and of responses in memory, in milliseconds. */
const HEALTH = 1_000;

/** Holds locks that block all connections for writes, then all for reads. */
export const fault: Fault = {
  title: "all connections of the pool wait for locks",
  engines: ["postgres"],

  async run(run) {
    const held = run.isQuick ? QUICK_HELD : HELD;
    const server = await startDatabaseServer();
    const { owner: token } = server.credentials.accounts;
    const service = await startService({ database: server.setting });
    const { url } = service;
    const probes = await startServiceProbes(service, server);
    const writers = startWriters({
      ...{ url, token, prefix: "pool-", count: WRITERS, path: RULESETS, toBody: toRuleset },
    });
    await writers.acknowledge(WRITERS);
    const client = await server.connect();

    /** Holds a lock, checks what needs no other connection, and lets go. */
    async function hold(what: string, lock: string, check: (period: Period) => void) {
      await client.query("begin");
      await client.query(lock);
      const from = performance.now();
      await setTimeout(held);
      const to = performance.now();
      await client.query("rollback");
      const recovered = checkRecovery(run, `${what}: once it is free`, probes, READ);
      await recovered;
      for (const [name, probe] of [
        ["responses in memory", probes.hot],
        ["/healthz", probes.health],
        ["/readyz", probes.ready],
      ] as const) {
        checkProbe(run, `${what}: ${name}`, probe, { from, to }, { status: 200, longest: HEALTH });
      }
      check({ from, to });
    }

    const row = "row of a project";
    await hold(row, "select from project where id = 'worldcup' for update", (period) => {
      checkProbe(run, `${row}: other reads`, probes.cold, period, { status: 200, longest: READ });
      const longest = Math.round(writers.slowest());
      run.check(`${row}: slowest write, in ms, at most ${WRITE}`, longest, longest <= WRITE);
      run.report(`${row}: writes with status 503`, writers.unavailable());
    });
    const tables = "tables of content";
    await writers.stop();
    // The response of the last revision is cached from here on.
    await setTimeout(SEEN);
    await probes.hot.recover();
    await hold(tables, "lock table content, content_leaf, content_value", (period) => {
      const early = { from: period.from, to: period.to - LOCK };
      checkProbe(run, `${tables}: reads`, probes.cold, early, { status: 503, longest: READ });
    });
    await probes.stop();
    checkWrites(run, writers, await listRulesets(url, token));
    await client.end();
    run.check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await server.close();
  },
};

interface Period {
  readonly from: number;
  readonly to: number;
}
