import { setTimeout } from "node:timers/promises";
import type { Client } from "pg";
import { startDatabaseProxy } from "../../test/harness/database-proxy.ts";
import { toDatabaseUrl } from "../../test/harness/postgres-server.ts";
import { type DatabaseServer, startDatabaseServer } from "./database-server.ts";
import type { Fault, FaultRun } from "./fault.ts";
import { checkWrites } from "./outbox-load.ts";
import { type Service, startService } from "./service.ts";
import {
  checkProbe,
  checkRecovery,
  type ServiceProbes,
  startServiceProbes,
} from "./service-probes.ts";
import { listRulesets, RULESETS, startWriters, toRuleset, toSandboxRuleset } from "./writers.ts";

/** How long nothing passes, in milliseconds: longer than the timeout of a statement. */
const SILENCE = 30_000;
const QUICK_SILENCE = 25_000;

/** Concurrent writers, more than a process has connections for. */
const WRITERS = 16;

/** The time for a statement (README of the engine), and what a busy machine adds, in milliseconds. */
const STATEMENT = 10_000 + 1_500;
/** The times for the turn of a project, a connection of the pool and a statement. */
const WRITE = 10_000 + 10_000 + STATEMENT;
/** The times for connecting, and for readiness: connecting and responding. */
const CONNECT = 5_000 + 1_500;
const READINESS = 4_000 + 1_500;

/** The longest time of a response from memory, in milliseconds. */
const MEMORY = 1_000;

/** Lets connections to the database go silent, then stops one of its processes that holds a lock. */
export const fault: Fault = {
  title: "half-open connections to the database",
  engines: ["postgres"],

  async run(run) {
    const server = await startDatabaseServer();
    const proxy = await startDatabaseProxy(toDatabaseUrl(server.socketFolder, "demo"));
    const database = proxy.url;
    const service = await startService({ database });
    const probes = await startServiceProbes(service, server);

    const silence = run.isQuick ? QUICK_SILENCE : SILENCE;
    const { owner: token } = server.credentials.accounts;
    const writers = startWriters({
      ...{ url: service.url, token, prefix: "silent-", count: WRITERS },
      ...{ path: RULESETS, toBody: toSandboxRuleset },
    });
    await writers.acknowledge(WRITERS);

    const from = performance.now();
    proxy.swallow();
    await setTimeout(silence);
    const to = performance.now();
    proxy.pass();
    await checkRecovery(run, "once bytes pass again", probes, CONNECT);
    const period = { from, to: to - STATEMENT };
    checkResponses(run, "", probes, period);
    checkProbe(run, "other reads", probes.cold, period, { status: 503, longest: STATEMENT });
    checkProbe(run, "/readyz", probes.ready, period, { status: 503, longest: READINESS });

    const rejected = writers.unavailable();
    run.check("503 of writes", rejected, rejected > 0);
    const longest = Math.round(writers.slowest());
    run.check(`slowest of ${WRITERS} writers in ms, at most ${WRITE}`, longest, longest <= WRITE);
    await writers.stop();
    checkWrites(run, writers, await listRulesets(service.url, token, "sandbox"));

    await stopHolder(run, server, service, probes);
    await probes.stop();
    proxy.swallow();
    const ending = performance.now();
    const code = await service.stop();
    run.check("exit code while nothing passes", `${code}`, code === 0);
    run.report("ms until it ended", Math.round(performance.now() - ending));
    proxy.close();
    await server.close();
  },
};

function checkResponses(
  run: FaultRun,
  what: string,
  probes: ServiceProbes,
  period: { readonly from: number; readonly to: number },
): void {
  const wanted = { status: 200, longest: MEMORY };
  checkProbe(run, `${what}responses in memory`, probes.hot, period, wanted);
  checkProbe(run, `${what}/healthz`, probes.health, period, wanted);
}

/** Stops the process of the database that holds the lock of a project, under writes of that project. */
async function stopHolder(
  run: FaultRun,
  server: DatabaseServer,
  { url }: Service,
  probes: ServiceProbes,
): Promise<void> {
  const { owner: token } = server.credentials.accounts;
  const writers = startWriters({
    ...{ url, token, prefix: "half-", count: 8, path: RULESETS, toBody: toRuleset },
  });
  await writers.acknowledge(20);
  const client = await server.connect();
  const pid = await stopOne(client);
  const from = performance.now();
  await setTimeout(run.isQuick ? QUICK_SILENCE : SILENCE);
  const to = performance.now();
  const count = writers.acknowledged.size;
  process.kill(pid, "SIGCONT");
  await writers.acknowledge(1);
  const what = "a process with a lock stopped: ";
  run.report(`${what}ms until a write after it continues`, Math.round(performance.now() - to));
  const unavailable = writers.unavailable();
  run.check(`${what}503 of writes to its project`, unavailable, unavailable > 0 && count > 0);
  const period = { from, to };
  checkResponses(run, what, probes, period);
  checkProbe(run, `${what}other reads`, probes.cold, period, { status: 200, longest: STATEMENT });
  checkProbe(run, `${what}/readyz`, probes.ready, period, { status: 200, longest: MEMORY });
  checkProbe(run, `${what}writes of another project`, probes.write, period, {
    ...{ status: 200, longest: STATEMENT },
  });
  await writers.stop();
  checkWrites(run, writers, await listRulesets(url, token));
  await client.end();
}

/** Stops a process that holds the lock of the project that is written, and nothing that others need; returns its id. */
async function stopOne(client: Client): Promise<number> {
  for (;;) {
    const { rows } = await client.query(
      "select pid from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()",
    );
    for (const { pid } of rows) {
      process.kill(pid, "SIGSTOP");
      await setTimeout(50);
      const trying = isOneProjectLocked(client);
      // A process that is stopped while it holds a lock of the server's memory stops all others.
      if (await Promise.race([trying, setTimeout(1_000, false)])) return pid;
      process.kill(pid, "SIGCONT");
      await trying;
    }
  }
}

/** Reports whether the project that is written is locked, and another one is not. */
async function isOneProjectLocked(client: Client): Promise<boolean> {
  const isLocked = await client
    .query("select 1 from project where id = 'worldcup' for no key update nowait")
    .then(
      () => false,
      ({ code }) => code === LOCK_NOT_AVAILABLE,
    );
  if (isLocked)
    await client.query("update project set change_count = change_count where id = 'sandbox'");
  return isLocked;
}

const LOCK_NOT_AVAILABLE = "55P03";
