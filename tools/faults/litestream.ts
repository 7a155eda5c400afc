import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createFolder } from "../../test/harness/folder.ts";
import { MARQUEE, ROOT, start } from "../../test/harness/process.ts";
import { createDemoDatabase, type FaultDatabase } from "./database.ts";
import type { Fault, FaultRun } from "./fault.ts";
import { startService } from "./service.ts";
import { listRulesets, RULESETS, startWriters, toRuleset } from "./writers.ts";

const CONFIGURATION = join(ROOT, "deploy/litestream/litestream.yml");

/** The loss that the configuration allows: the intervals of its monitor and of its replica, in milliseconds. */
const INTERVALS = 1_500;

/** Added to the intervals for what Litestream itself takes, on a machine that is busy. */
const TOLERANCE = 1_000;

/** Kills the service and its Litestream at once under writes, and restores what was replicated. */
export const fault: Fault = {
  title: "machine lost, with Litestream",
  engines: ["sqlite"],

  async run(run) {
    try {
      run.report(
        "litestream",
        execFileSync("litestream", ["version"], { encoding: "utf8" }).trim(),
      );
    } catch {
      run.report("skipped", "no litestream in PATH");
      return;
    }
    const demo = await createDemoDatabase();
    await demo.store.close();
    try {
      for (let round = 0; round < (run.isQuick ? 1 : 3); round += 1) {
        await lose(run, demo, `kill-${round}-`);
      }
    } finally {
      await demo.close();
    }
  },
};

/** Writes 2,000 times and on until everything is killed, each round to the database of the round before. */
async function lose(
  { check, report }: FaultRun,
  { setting, credentials }: FaultDatabase,
  prefix: string,
): Promise<void> {
  const folder = createFolder();
  const { owner: token } = credentials.accounts;
  const path = setting.slice("sqlite:".length);
  const env = { DATABASE: path, REPLICA_URL: `file://${join(folder.path, "replica")}` };
  const service = await startService({ database: setting });
  const litestream = start("litestream", ["replicate", "-config", CONFIGURATION], { env });
  await untilReplicated(join(folder.path, "replica"));
  const writers = startWriters({
    ...{ url: service.url, token, prefix, count: 16, path: RULESETS, toBody: toRuleset },
  });
  // How many writes were acknowledged at a time; the time of each write follows from it.
  const counts: { readonly time: number; readonly count: number }[] = [];
  const counting = setInterval(
    () => counts.push({ time: Date.now(), count: writers.acknowledged.size }),
    10,
  );
  while (writers.acknowledged.size < 2_000) await writers.acknowledge(200);
  await setTimeout(Math.random() * 1_500);
  const end = Date.now();
  process.kill(service.pid, "SIGKILL");
  litestream.child.kill("SIGKILL");
  clearInterval(counting);
  const acknowledged = [...writers.acknowledged].map(([name, { headers }], place) => ({
    name,
    revision: Number(headers.get("x-consistency-token")?.split(":")[1]),
    time: counts.findLast(({ count }) => count <= place)?.time ?? 0,
  }));
  // The writers go on trying, and end once a service responds at the same port.
  await Promise.all([service.finished, litestream.finished]);

  const copy = join(folder.path, "copy.db");
  const restored = join(folder.path, "restored.db");
  const restore = ["restore", "-config", CONFIGURATION, "-o", copy, path];
  execFileSync("litestream", restore, { env: { ...process.env, ...env }, stdio: "pipe" });
  const install = MARQUEE.args("restore", copy, "--database", `sqlite:${restored}`);
  const { code, stderr } = await start(MARQUEE.program, install).finished;
  check("exit code of marquee restore", `${code} ${stderr.trim()}`, code === 0);
  const again = await startService({ database: `sqlite:${restored}` });
  const names = new Set(await listRulesets(again.url, token));
  await again.stop();

  const port = Number(new URL(service.url).port);
  const rest = await startService({ database: setting, port });
  await writers.stop();
  await rest.stop();

  const kept = acknowledged.filter(({ name }) => names.has(name));
  const lost = acknowledged.filter(({ name }) => !names.has(name));
  // A project's revisions are the order of its commits.
  const newest = Math.max(...kept.map(({ revision }) => revision));
  const holes = lost.filter(({ revision }) => revision < newest).length;
  const age = end - Math.min(end, ...lost.map(({ time }) => time));
  report("acknowledged writes, and those lost", `${acknowledged.length}, ${lost.length}`);
  check("age of the oldest lost write, in ms", age, age <= INTERVALS + TOLERANCE);
  check("lost writes before one that was kept", holes, holes === 0 && kept.length > 0);
  folder.remove();
}

/** Waits for the first snapshot. */
async function untilReplicated(replica: string): Promise<void> {
  const files = () => readdirSync(replica, { recursive: true, encoding: "utf8" });
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      // The files of version 0.3, and of version 0.5.
      if (files().some((it) => /snapshot.*\.lz4$|\.ltx$/.test(it))) return;
    } catch {
      // Not there yet.
    }
    await setTimeout(100);
  }
  throw new Error("Litestream made no snapshot within 30 seconds");
}
