import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { takeBaseBackup } from "../../test/harness/postgres-base-backup.ts";
import { giveToServer } from "../../test/harness/postgres-server.ts";
import { type DatabaseServer, startDatabaseServer } from "./database-server.ts";
import type { Fault } from "./fault.ts";
import { startService } from "./service.ts";
import { listRulesets, RULESETS, startWriters, toRuleset } from "./writers.ts";

/** The archive is next to the cluster's folder, where the server runs its commands. */
const ARCHIVE = "../archive";

/** The drill of docs/backup.md: everything that was acknowledged before an accident is recovered, nothing after. */
export const fault: Fault = {
  title: "rows deleted by accident, recovered to the second before",
  engines: ["postgres"],

  async run({ isQuick, check, report }) {
    for (let round = 0; round < (isQuick ? 1 : 3); round += 1) {
      const server = await startDatabaseServer([
        "archive_mode=on",
        `archive_command=test ! -f ${ARCHIVE}/%f && cp %p ${ARCHIVE}/%f`,
      ]);
      const path = (name: string) => join(server.socketFolder, name);
      mkdirSync(path("archive"));
      giveToServer(path("archive"));
      const token = server.credentials.accounts.owner;
      const service = await startService({ database: server.setting });
      const writers = startWriters({
        ...{ url: service.url, token, prefix: `round-${round}-`, count: 4 },
        ...{ path: RULESETS, toBody: toRuleset },
      });
      await writers.acknowledge(50);
      await takeBaseBackup(server, path("base"), { withLog: false });
      await writers.acknowledge(100);
      const kept = new Set(writers.acknowledged.keys());
      const { rows } = await runOn(server, "select clock_timestamp()::text as time");
      // Those that were in flight when the time was read are on either side of it.
      await setTimeout(500);
      const between = new Set(writers.acknowledged.keys());
      await writers.acknowledge(50);
      await writers.stop();
      await runOn(server, "delete from ruleset");
      const rest = (await listRulesets(service.url, token)).length;
      check("rulesets after the accident", rest, rest === 0);
      await service.stop();
      await archiveAll(server);
      await server.stop();

      renameSync(server.data, path("lost"));
      renameSync(path("base"), server.data);
      appendFileSync(
        join(server.data, "postgresql.auto.conf"),
        [
          `restore_command = 'cp ${ARCHIVE}/%f %p'`,
          `recovery_target_time = '${rows[0].time}'`,
          "recovery_target_action = 'promote'\n",
        ].join("\n"),
      );
      writeFileSync(join(server.data, "recovery.signal"), "");
      giveToServer(server.data);
      const start = performance.now();
      await server.start();
      await untilPromoted(server);
      report("recovery, in s", ((performance.now() - start) / 1_000).toFixed(1));

      const again = await startService({ database: server.setting });
      const found = new Set(await listRulesets(again.url, token));
      const lost = [...kept].filter((name) => !found.has(name));
      const late = [...found].filter(
        (name) => name.startsWith(`round-${round}-`) && !between.has(name),
      );
      check(
        "acknowledged before the time, and lost",
        `${kept.size}, ${lost.length}`,
        lost.length === 0,
      );
      check("written after it, and there", late.length, late.length === 0);
      const next = startWriters({
        ...{ url: again.url, token, prefix: `next-${round}-`, count: 1 },
        ...{ path: RULESETS, toBody: toRuleset },
      });
      await next.acknowledge(1);
      await next.stop();
      await again.stop();
      await server.close();
    }
  },
};

async function runOn(server: DatabaseServer, statement: string) {
  const client = await server.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Ends the current file of the log, and waits until it is archived. */
async function archiveAll(server: DatabaseServer): Promise<void> {
  const { rows } = await runOn(server, "select pg_walfile_name(pg_switch_wal()) as file");
  const select = `select last_archived_wal >= '${rows[0].file}' as done from pg_stat_archiver`;
  for (let tries = 0; !(await runOn(server, select)).rows[0].done; tries += 1) {
    if (tries === 300) throw new Error("the log is not archived within 30 seconds");
    await setTimeout(100);
  }
}

async function untilPromoted(server: DatabaseServer): Promise<void> {
  while ((await runOn(server, "select pg_is_in_recovery() as is")).rows[0].is) await setTimeout(50);
}
