import { setTimeout } from "node:timers/promises";
import { send } from "../../test/harness/http.ts";
import { MARQUEE, ROOT, start } from "../../test/harness/process.ts";
import { startReceiver } from "../../test/outbox/receiver.ts";
import { createHook, type Hook } from "./action.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { startReaders } from "./readers.ts";
import { startService } from "./service.ts";
import { until } from "./until.ts";

/** Runs for the receiver that hangs, more than may be sent to it at the same time. */
const HANGING = 40;

/** Concurrent runs for another receiver. */
const OTHERS = 20;

/** Stops a receiver of actions: its system accepts connections, but nothing responds. */
export const fault: Fault = {
  title: "receiver of actions stopped",
  engines: ["sqlite", "postgres"],

  async run({ report, check }) {
    const database = await createDemoDatabase();
    const { owner: token } = database.credentials.accounts;
    const key = database.credentials.projects[0]?.public_key ?? "";
    const flags = ["--actions-allow-private"];
    const service = await startService({ database: database.setting, flags });
    const { url } = service;

    const stopped = start(MARQUEE.program, [`${ROOT}tools/faults/receiver-process.ts`]);
    const [, port] = await stopped.printed(/^(\d+)\n/);
    // The slots of an action are counted by host.
    const other = await startReceiver((_request, response) => response.end(), {
      host: "127.0.0.2",
    });
    const hanging = await createHook({ url, token }, "hanging", {
      url: `http://127.0.0.1:${port}`,
      requests: [],
    });
    const working = await createHook({ url, token }, "working", other);
    const isReceived = (run: string) => stopped.stdout().includes(run);

    const warm = await hanging.trigger();
    await until(() => isReceived(warm), 10_000);
    stopped.child.kill("SIGSTOP");
    const waiting = await trigger(hanging, HANGING);
    await setTimeout(1_000);
    const readers = startReaders(url, key, 4);
    const runs = await trigger(working, OTHERS);
    const sent = await until(() => runs.every(working.isDelivered), 30_000);
    check(`ms until ${OTHERS} runs for another receiver are sent`, sent, sent < 5_000);
    await readers.stop();
    check(`failed reads, of ${readers.count()}`, readers.failures(), readers.failures() === 0);
    report("p99 of reads in ms", Math.round(readers.percentile(0.99)));

    // Longer than the time limit of a request: those that wait have failed once.
    await setTimeout(20_000);
    stopped.child.kill("SIGCONT");
    const isOver = async () =>
      waiting.every(isReceived) && /^marquee_actions_pending 0$/m.test(await readMetrics(url));
    const recovered = await until(isOver, 120_000);
    check(`ms until ${HANGING} runs succeeded after it continues`, recovered, recovered < 1e5);
    check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    stopped.child.kill("SIGKILL");
    await other.close();
    await database.close();
  },
};

async function readMetrics(url: string): Promise<string> {
  return (await send("GET", `${url}/metrics`)).text;
}

async function trigger(hook: Hook, count: number): Promise<readonly string[]> {
  const runs: string[] = [];
  for (let number = 0; number < count; number += 1) runs.push(await hook.trigger());
  return runs;
}
