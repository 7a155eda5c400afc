// A process of its own for the tests: `<file> <step>` works off the outbox of a database until it
// dies by SIGKILL at a step: take, send, finish or end, which is behind the last. It prints a line when it is open, and ends as it should by SIGTERM.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { pino } from "pino";
import { createSender } from "../../src/outbox/send.ts";
import { ActionWorker } from "../../src/outbox/worker.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { override } from "../harness/override.ts";

const [file = "", step = ""] = process.argv.slice(2);
const store = openSqliteStore(file);
const sender = createSender({ allowPrivateTargets: true });

const dieAt = async (here: string): Promise<void> => {
  if (step !== here) return;
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => {});
};

const { actionRuns } = store;
const worker = new ActionWorker({
  retention: { step: async () => 1_000 },
  releases: { step: async () => 1_000, close: async () => {} },
  runs: override(actionRuns, {
    async take(claim) {
      await dieAt("take");
      return await actionRuns.take(claim);
    },
    async finish(lease, finished) {
      await dieAt("finish");
      const isKept = await actionRuns.finish(lease, finished);
      await dieAt("end");
      return isKept;
    },
  }),
  sender: {
    ...sender,
    async send(request) {
      await dieAt("send");
      return await sender.send(request);
    },
  },
  clock: () => new Date(),
  createId: randomUUID,
  random: Math.random,
  log: pino({ level: "silent" }),
});
const ended = once(process, "SIGTERM");
// A worker keeps no process alive.
const living = setInterval(() => {}, 60_000);
// Now that the signal is awaited: it may follow at once.
process.stdout.write("open\n");
await ended;
clearInterval(living);
await worker.close(5_000);
await store.close();
