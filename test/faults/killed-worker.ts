import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { startReceiver } from "../outbox/receiver.ts";
import { ANNOTATIONS, createHook } from "./action.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { startService } from "./service.ts";
import { listRulesets, RULESETS, startWriters, toRuleset } from "./writers.ts";

/** The longest that a run of an action waits for the lease of a killed worker, in milliseconds. */
const LEASE = 60_000;

/** Kills one worker of two again and again, while others write and actions are sent. */
export const fault: Fault = {
  title: "SIGKILL of a worker under writes",
  engines: ["sqlite", "postgres"],

  async run({ isQuick, report, check }) {
    const kills = isQuick ? 5 : 100;
    const database = await createDemoDatabase();
    const token = database.credentials.accounts.owner;
    const received = await startReceiver((_request, response) => response.end());
    const flags = ["--workers", "2", "--actions-allow-private"];
    const service = await startService({ database: database.setting, flags });
    const { url } = service;
    await createHook({ url, token }, "corner", received);

    const writers = startWriters({
      ...{ url, token, prefix: "ruleset-", count: 8, path: RULESETS, toBody: toRuleset },
    });
    const annotators = startWriters({
      ...{ url, token, prefix: "annotation-", count: 2, pause: 20 },
      path: ANNOTATIONS,
      toBody: () => ({ project_id: "worldcup", type_id: "corner" }),
    });
    const killed = new Set<number>();
    while (killed.size < kills) {
      const workers = await listWorkers(service.pid, killed);
      await writers.acknowledge(20);
      // Any moment of the work of a worker.
      await setTimeout(Math.random() * 200);
      const victim = workers[killed.size % 2] ?? 0;
      process.kill(victim, "SIGKILL");
      killed.add(victim);
    }
    await Promise.all([writers.stop(), annotators.stop()]);

    const names = await listRulesets(url, token);
    const times = new Map<string, number>();
    for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
    const wanted = [...writers.acknowledged.keys()];
    report("kills", kills);
    report("writes acknowledged", wanted.length);
    report("writes repeated after a lost connection", writers.lost());
    const missing = wanted.filter((name) => !times.has(name)).length;
    check("acknowledged writes missing", missing, missing === 0);
    const twice = wanted.filter((name) => (times.get(name) ?? 0) > 1).length;
    check("writes stored twice", twice, twice === 0);

    const runs = [...annotators.acknowledged.values()].flatMap(({ json }) =>
      json.action_runs.map((run: { readonly id: string }) => run.id),
    );
    const delivered = () => received.requests.map(({ headers }) => headers["webhook-id"]);
    const end = performance.now() + LEASE + 30_000;
    const countLost = () => {
      const ids = new Set(delivered());
      return runs.filter((id) => !ids.has(id)).length;
    };
    while (countLost() > 0 && performance.now() < end) await setTimeout(500);
    report("runs of actions", runs.length);
    check("runs lost", countLost(), runs.length > 0 && countLost() === 0);
    report("runs delivered again", delivered().length - new Set(delivered()).size);
    check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await received.close();
    await database.close();
  },
};

/** Waits until a process has two children that were not killed, and returns them in the order of their start. */
async function listWorkers(pid: number, killed: ReadonlySet<number>): Promise<readonly number[]> {
  const end = performance.now() + 30_000;
  while (performance.now() < end) {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    const children = text.split(" ").filter((it) => it !== "");
    const workers = children.map(Number).filter((it) => !killed.has(it));
    if (workers.length === 2) return workers;
    await setTimeout(10);
  }
  throw new Error(`process ${pid} does not have two workers`);
}
