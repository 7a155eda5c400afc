import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { getUrl, PROCEDURES } from "../../test/harness/calls.ts";
import { createFolder } from "../../test/harness/folder.ts";
import { send } from "../../test/harness/http.ts";
import { createDemoDatabase, type FaultDatabase } from "./database.ts";
import type { Fault, FaultRun } from "./fault.ts";
import { type Service, startService } from "./service.ts";
import { until } from "./until.ts";
import { listRulesets, RULESETS, startWriters, toRuleset } from "./writers.ts";

/** The size of the disk, which has room for the demo and its log. */
const SIZE = "40m";

/** Bytes left on the disk when it is filled: some writes still succeed. */
const ROOM = 256 * 1_024;

/** Fills the disk of the database under writes, and makes room again. */
export const fault: Fault = {
  title: "full disk",
  engines: ["sqlite"],

  async run(run) {
    if (process.getuid?.() !== 0) {
      run.report("skipped", "only root mounts a disk");
      return;
    }
    const demo = await createDemoDatabase();
    const disk = createFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", disk.path]);
    try {
      const file = join(disk.path, "marquee.db");
      const path = demo.setting.slice("sqlite:".length);
      // The log is written into the file when the last connection closes.
      await demo.store.close();
      for (const suffix of ["", "-leases"]) copyFileSync(path + suffix, file + suffix);
      const service = await startService({ database: `sqlite:${file}` });
      await fill(run, service, demo, disk.path);
    } finally {
      execFileSync("umount", ["--lazy", disk.path]);
      disk.remove();
    }
    await demo.close();
  },
};

async function fill(
  { check, report }: FaultRun,
  service: Service,
  { credentials }: FaultDatabase,
  disk: string,
): Promise<void> {
  const { url } = service;
  const { owner: token } = credentials.accounts;
  const key = credentials.projects[0]?.public_key ?? "";
  const writers = startWriters({
    ...{ url, token, prefix: "full-", count: 4, path: RULESETS, toBody: toRuleset },
  });
  await setTimeout(1_000);
  const before = writers.acknowledged.size;
  const ballast = join(disk, "ballast");
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - ROOM));

  let reads = 0;
  let failedReads = 0;
  const end = performance.now() + 3_000;
  while (performance.now() < end) {
    // A list that is in no cache.
    const list = getUrl(PROCEDURES.listEvents, { pageSize: 1 + (reads % 50) });
    const headers = { authorization: `Bearer ${key}` };
    const got = await send("GET", url + list, { headers });
    reads += 1;
    if (got.status !== 200) failedReads += 1;
    await setTimeout(10);
  }
  const rejected = writers.unavailable();
  const { status } = await send("GET", `${url}/healthz`);
  const isWritable = async () => (await send("GET", `${url}/readyz`)).json.writable;
  const whenFull = await isWritable();
  check('"writable" of /readyz while it was full', `${whenFull}`, whenFull === false);
  check("writes with status 503 while it was full", rejected, rejected > 0);
  check(`reads failed while it was full, of ${reads}`, failedReads, failedReads === 0);
  check("status of /healthz while it was full", status, status === 200);
  check("writes lost without a response", writers.lost(), writers.lost() === 0);

  rmSync(ballast);
  const whileFull = writers.acknowledged.size;
  const start = performance.now();
  while (writers.acknowledged.size === whileFull && performance.now() < start + 30_000) {
    await setTimeout(5);
  }
  report("first write after room was made, in ms", Math.round(performance.now() - start));
  const said = await until(isWritable, 10_000);
  check('ms until "writable" of /readyz was true again', said, said <= 5_000);
  await writers.stop();
  const after = writers.acknowledged.size;
  check("writes acknowledged before, and after", `${before}, ${after - whileFull}`, after > before);
  const names = await listRulesets(url, token);
  const own = names.filter((name) => name.startsWith("full-"));
  const missing = [...writers.acknowledged.keys()].filter((name) => !own.includes(name)).length;
  check("acknowledged writes missing", missing, missing === 0);
  const twice = own.length - new Set(own).size;
  check("writes stored twice", twice, twice === 0);
  check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
}
