import { setTimeout } from "node:timers/promises";
import { send } from "../../test/harness/http.ts";
import type { Fault } from "./fault.ts";
import { createReplicatedDatabase } from "./replicated-database.ts";
import { startService } from "./service.ts";
import { countPoisoned, runVersionLoad } from "./version-load.ts";

/** The longest that a read waits for a replica before the primary is asked, and for the primary, in milliseconds. */
const SLOWEST = 3_000;

/** Two processes read a standby whose replay is paused, delayed, that hangs, is killed and is promoted. */
export const fault: Fault = {
  title: "standby paused, delayed, hanging, killed, promoted",
  engines: ["postgres"],

  async run({ isQuick, report, check }) {
    const database = await createReplicatedDatabase();
    const { standby, credentials } = database;
    const token = credentials.accounts.owner;
    const key = credentials.projects[0]?.public_key ?? "";
    const flags = ["--database-replica", database.replicaSetting, "--no-background-work"];
    const start = () => startService({ database: database.setting, flags });
    const services = await Promise.all([start(), start()]);
    const urls = services.map(({ url }) => url);
    const [writerUrl = "", otherUrl = ""] = urls;
    const load = { writerUrl, otherUrl, token, key, eventId: "match-2026-104" };
    const seconds = isQuick ? 2 : 15;
    const kills = isQuick ? 2 : 20;
    let from = 0;

    const stateOf = async () => (await send("GET", `${writerUrl}/readyz`)).json.replica;
    async function until(state: string): Promise<void> {
      const end = performance.now() + 20_000;
      while ((await stateOf()) !== state) {
        if (performance.now() > end) throw new Error(`the replica is not ${state}`);
        await setTimeout(50);
      }
    }

    /** Reads and writes while things are done to the standby, one after the other, each for some time. */
    async function during(name: string, acts: readonly (() => Promise<unknown>)[], time = seconds) {
      const sum = { reads: 0, stale: 0, failed: 0, rejected: 0, slowest: 0, poisoned: 0 };
      for (const act of acts) {
        const acting = act();
        const got = await runVersionLoad({ ...load, from }, time * 1_000);
        await acting;
        from = got.version;
        sum.reads += got.reads;
        sum.stale += got.stale;
        sum.failed += got.failed + got.rejectedWrites;
        sum.rejected += got.rejected;
        sum.slowest = Math.round(Math.max(sum.slowest, got.slowest));
        sum.poisoned += await countPoisoned(urls, load, from);
      }
      const { reads, stale, failed, rejected, slowest, poisoned } = sum;
      check(`${name}: responses older than known, of ${reads}`, stale, stale === 0);
      check(`${name}: cached responses poisoned`, poisoned, poisoned === 0);
      check(`${name}: requests failed`, failed, failed === 0);
      if (rejected > 0)
        report(`${name}: reads rejected as too many expensive ones (429)`, rejected);
      check(`${name}: slowest read in ms`, slowest, slowest < SLOWEST);
    }

    await until("used");
    await during("in order", [async () => {}]);
    const counted = "select sum(xact_commit)::int as count from pg_stat_database";
    report("transactions of the standby so far", (await standby.run(counted)).rows[0].count);

    await standby.run("select pg_wal_replay_pause()");
    await during("paused", [() => until("behind")]);
    await standby.run("select pg_wal_replay_resume()");
    await standby.catchUp();
    await until("used");

    await standby.run("alter system set recovery_min_apply_delay = '300ms'");
    await standby.run("select pg_reload_conf()");
    await during("delayed by 300 ms", [async () => {}]);
    await standby.run("alter system reset recovery_min_apply_delay");
    await standby.run("select pg_reload_conf()");
    await standby.catchUp();

    const hang = async () => {
      await setTimeout(500);
      standby.stop();
      await until("unavailable");
      await setTimeout(seconds * 500);
      standby.continue();
      await until("used");
    };
    await during("hanging", [hang]);

    const kill = async () => {
      await setTimeout(Math.random() * 1_000);
      await standby.kill();
      await standby.start();
      await until("used");
    };
    await during(`killed ${kills} times`, Array(kills).fill(kill), 2);

    const promote = async () => {
      await setTimeout(500);
      await standby.run("select pg_promote()");
      for (let round = 0; round < 10; round += 1) {
        await standby.run("update project set change_count = change_count + 1000");
        await standby.run("update content set doc = replace(doc, 'version ', 'version 9')");
        await setTimeout(50);
      }
      await until("unavailable");
    };
    await during("promoted, written to by others", [promote]);

    for (const service of services) await service.stop();
    await database.close();
  },
};
