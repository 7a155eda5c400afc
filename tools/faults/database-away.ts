import { setTimeout } from "node:timers/promises";
import { startDatabaseServer } from "./database-server.ts";
import type { Fault } from "./fault.ts";
import { checkWrites } from "./outbox-load.ts";
import { startService } from "./service.ts";
import { checkProbe, checkRecovery, startServiceProbes } from "./service-probes.ts";
import { listRulesets, RULESETS, startWriters, toSandboxRuleset } from "./writers.ts";

/** How long the database is unavailable, in milliseconds. */
const AWAY = 10_000;

/** The longest time that a response takes during the outage, in milliseconds. */
const LONGEST = 1_000;

/** Stops the database under reads and writes, and starts it again. */
export const fault: Fault = {
  title: `database away for ${AWAY / 1_000} s`,
  engines: ["postgres"],

  async run(run) {
    const away = run.isQuick ? AWAY / 4 : AWAY;
    const server = await startDatabaseServer();
    const { owner: token } = server.credentials.accounts;
    const service = await startService({ database: server.setting });
    const { url } = service;
    const probes = await startServiceProbes(service, server);
    const writers = startWriters({
      ...{ url, token, prefix: "away-", count: 4, path: RULESETS, toBody: toSandboxRuleset },
    });
    await setTimeout(1_000);

    const begun = performance.now();
    await server.stop();
    const from = performance.now();
    await setTimeout(away);
    const to = performance.now();
    // Before it starts: what is sent from here on may succeed.
    await setTimeout(LONGEST);
    checkProbe(
      run,
      "responses in memory",
      probes.hot,
      { from: begun, to },
      { status: 200, longest: LONGEST },
    );
    for (const [what, probe] of [
      ["other reads", probes.cold],
      ["writes", probes.write],
      ["/readyz", probes.ready],
    ] as const) {
      checkProbe(run, what, probe, { from, to }, { status: 503, longest: LONGEST });
    }
    checkProbe(
      run,
      "/healthz",
      probes.health,
      { from: begun, to },
      { status: 200, longest: LONGEST },
    );
    await server.start();
    await checkRecovery(run, "once it accepts connections", probes, 5_000);
    await writers.acknowledge(20);
    await Promise.all([probes.stop(), writers.stop()]);
    checkWrites(run, writers, await listRulesets(url, token, "sandbox"));
    run.check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await server.close();
  },
};
