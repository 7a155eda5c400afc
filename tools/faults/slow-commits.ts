import { setTimeout } from "node:timers/promises";
import type { Client } from "pg";
import { ORGANIZATION } from "../../demo/ids.ts";
import { send } from "../../test/harness/http.ts";
import { startDatabaseServer } from "./database-server.ts";
import type { Fault, FaultRun } from "./fault.ts";
import { checkWrites } from "./outbox-load.ts";
import { type Service, startService } from "./service.ts";
import { listRulesets, RULESETS, startWriters } from "./writers.ts";

/** Writers at the same time, and the projects among which they write. */
const WRITERS = 16;

/** The delay of each commit, in microseconds: `commit_delay`, like a disk that syncs as slowly. */
const DELAYS = [0, 2_000, 10_000];

/** Delays each commit like a slow disk; concurrent commits share the delay. */
export const fault: Fault = {
  title: `commits of 2 and 10 ms, ${WRITERS} writers`,
  engines: ["postgres"],

  async run(run) {
    const server = await startDatabaseServer();
    const { owner: token } = server.credentials.accounts;
    const client = await server.connect();
    const service = await startService({ database: server.setting });
    const projects = await createProjects(service, token);
    for (const delay of DELAYS) {
      const took = await delayCommits(client, delay);
      run.report(`commit_delay ${delay} µs: ms for a commit of one alone`, took.toFixed(1));
      for (const among of [["worldcup"], projects]) {
        await write(run, service, { token, delay, among });
      }
    }
    await client.end();
    run.check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await server.close();
  },
};

async function createProjects({ url }: Service, token: string): Promise<readonly string[]> {
  const projects = Array.from({ length: WRITERS }, (_, number) => `slow-${number}`);
  for (const id of projects) {
    const { status, text } = await send("POST", `${url}/iam/projects/v1?project_id=${id}`, {
      ...{ token, body: { organization_id: ORGANIZATION, name: id } },
    });
    if (status !== 200) throw new Error(`no project: ${text}`);
  }
  return projects;
}

/** Sets the delay of all commits; returns how many milliseconds the median commit of a single client then takes. */
async function delayCommits(client: Client, delay: number): Promise<number> {
  await client.query(`alter system set commit_delay = ${delay}`);
  // Also for a transaction that is the only one.
  await client.query("alter system set commit_siblings = 0");
  await client.query("select pg_reload_conf()");
  await setTimeout(500);
  await client.query("create table if not exists tried (number int)");
  const times: number[] = [];
  for (let number = 0; number < 30; number += 1) {
    const start = performance.now();
    await client.query("insert into tried values (1)");
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[15] ?? Number.NaN;
}

async function write(
  run: FaultRun,
  { url }: Service,
  { token, delay, among }: { token: string; delay: number; among: readonly string[] },
): Promise<void> {
  const where = among.length === 1 ? "one project" : `${among.length} projects`;
  const toProject = (name: string) => among[Number(/-(\d+)-\d+$/.exec(name)?.[1]) % among.length];
  const writers = startWriters({
    ...{ url, token, prefix: `slow-${delay}-${among.length}-`, count: WRITERS, path: RULESETS },
    toBody: (name) => ({ project_id: toProject(name), name }),
  });
  await setTimeout(1_000);
  const before = writers.acknowledged.size;
  const start = performance.now();
  await setTimeout(run.isQuick ? 2_000 : 15_000);
  const seconds = (performance.now() - start) / 1_000;
  const rate = (writers.acknowledged.size - before) / seconds;
  await writers.stop();
  run.report(`commit_delay ${delay} µs: writes/s in ${where}`, Math.round(rate));
  const failed = writers.lost() + writers.unavailable();
  run.check(`commit_delay ${delay} µs: failed writes in ${where}`, failed, failed === 0);
  const names: string[] = [];
  for (const id of among) names.push(...(await listRulesets(url, token, id)));
  checkWrites(run, writers, names);
}
