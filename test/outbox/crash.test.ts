import { randomUUID } from "node:crypto";
import { readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { RunSlots } from "../../src/domain/actions/run-slots.ts";
import { createSender } from "../../src/outbox/send.ts";
import { verifyWebhook } from "../../src/outbox/signature.ts";
import { ActionWorker } from "../../src/outbox/worker.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { loadDataset } from "../harness/load-dataset.ts";
import { silentLog } from "../harness/marquee.ts";
import { MARQUEE, programPath, type Running, start } from "../harness/process.ts";
import { createTestFolder } from "../harness/test-folder.ts";
import { createSmallDataset } from "../storage/small-dataset.ts";
import { createDueRun, createWebhook, SECRET } from "./outbox.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "./receiver.ts";

/** Long enough for processes to start on a busy machine. */
const PATIENCE = { timeout: 50_000 };

let file: string;
let store: Store;
let receiver: Receiver | undefined;
beforeEach(async () => {
  file = join(createTestFolder(), "marquee.db");
  store = openSqliteStore(file);
  await loadDataset(store, createSmallDataset());
});
afterEach(async () => {
  await receiver?.close();
  await store.close();
});

function startWorker(step = ""): Running {
  return start(MARQUEE.program, [programPath("test/outbox/worker-process.ts"), file, step]);
}

/** Works off the outbox as another process would. Its clock stands still: no lease expires. */
function workHere() {
  const own = openSqliteStore(file);
  const now = new Date();
  const worker = new ActionWorker({
    retention: { step: async () => 1_000 },
    releases: { step: async () => 1_000, close: async () => {} },
    runs: own.actionRuns,
    sender: createSender({ allowPrivateTargets: true }),
    clock: () => now,
    createId: randomUUID,
    random: Math.random,
    log: silentLog(),
  });
  return {
    async close() {
      await worker.close(5_000);
      await own.close();
    },
  };
}

const idOf = ({ headers }: ReceivedRequest) => headers["webhook-id"];
const stateOf = async (id: string) => (await store.in("acme").runAdmin.get(id)).value.state;

describe("a process that is killed loses nothing and repeats at most once", () => {
  test.each<[step: string, what: string, deliveries: number]>([
    ["take", "before it takes the run", 1],
    ["send", "after taking and before sending", 1],
    ["finish", "after sending and before recording", 2],
    ["end", "after recording", 1],
  ])("%s", async (step, _what, deliveries) => {
    receiver = await startReceiver((_request, response) => response.end());
    const action = await createWebhook(store, "hook", receiver.url);
    const run = await createDueRun(store, action, new Date(), { level: 1 });
    expect((await startWorker(step).finished).signal).toBe("SIGKILL");
    const isOver = step === "end";
    const want = isOver ? ActionRunState.SUCCEEDED : ActionRunState.PENDING;
    expect(await stateOf(run.id)).toBe(want);

    const next = workHere();
    await expect.poll(() => stateOf(run.id), PATIENCE).toBe(ActionRunState.SUCCEEDED);
    await next.close();
    expect(receiver.requests.map(idOf)).toEqual(Array(deliveries).fill(run.id));
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    for (const { headers, body } of receiver.requests) {
      verifyWebhook({
        secrets: [SECRET],
        headers: new Headers(headers as Record<string, string>),
        body,
        now: new Date(),
      });
    }
  });

  test("while the receiver has the request and has not responded", async () => {
    let isHanging = true;
    receiver = await startReceiver((_request, response) => {
      if (!isHanging) response.end();
    });
    const run = await createDueRun(
      store,
      await createWebhook(store, "hook", receiver.url),
      new Date(),
    );
    const first = startWorker();
    await expect.poll(() => receiver?.requests.length, PATIENCE).toBe(1);
    first.child.kill("SIGKILL");
    await first.finished;
    isHanging = false;
    const next = workHere();
    await expect.poll(() => stateOf(run.id), PATIENCE).toBe(ActionRunState.SUCCEEDED);
    await next.close();
    expect(receiver.requests.map(idOf)).toEqual([run.id, run.id]);
  });
});

test("a start takes over the runs of processes that have ended, and of no others", async () => {
  receiver = await startReceiver(() => {});
  const run = await createDueRun(
    store,
    await createWebhook(store, "hook", receiver.url),
    new Date(),
  );
  const living = startWorker();
  await expect.poll(() => receiver?.requests.length, PATIENCE).toBe(1);

  const link = join(createTestFolder(), "link.db");
  symlinkSync(file, link);
  const next = openSqliteStore(link);
  const start = async () => {
    await next.actionRuns.takeOver();
    const now = new Date();
    const leaseEnd = new Date(now.getTime() + 60_000);
    const claim = { lease: "next", now, leaseEnd, slots: new RunSlots(), limit: 10 };
    return (await next.actionRuns.take(claim)).runs.map((taken) => taken.run.id);
  };
  const countSenders = () =>
    readdirSync(dirname(file)).filter((it) => it.includes("-sender-")).length;
  expect(await start()).toEqual([]);
  expect(countSenders()).toBe(2);
  living.child.kill("SIGKILL");
  await living.finished;
  expect(await start()).toEqual([run.id]);
  expect(countSenders()).toBe(1);
  await next.close();
  expect(countSenders()).toBe(0);
});

test("two processes at once send each run once, and none at the same moment", async () => {
  const underWay = new Map<unknown, number>();
  let most = 0;
  receiver = await startReceiver((request, response) => {
    const id = request.headers["webhook-id"];
    underWay.set(id, (underWay.get(id) ?? 0) + 1);
    most = Math.max(most, underWay.get(id) ?? 0);
    setTimeout(() => {
      underWay.set(id, (underWay.get(id) ?? 0) - 1);
      response.end();
    }, 20);
  });
  const action = await createWebhook(store, "hook", receiver.url);
  const ids: string[] = [];
  for (let n = 0; n < 60; n += 1) ids.push((await createDueRun(store, action, new Date())).id);
  const workers = [startWorker(), startWorker()];
  const succeeded = async () =>
    (await Promise.all(ids.map(stateOf))).filter((it) => it === ActionRunState.SUCCEEDED).length;
  await expect.poll(succeeded, PATIENCE).toBe(ids.length);
  expect(receiver.requests.map(idOf).sort()).toEqual(ids.toSorted());
  expect(most).toBe(1);
  for (const { child, finished, printed } of workers) {
    // One may have started only when the other was done.
    await printed(/open/);
    child.kill("SIGTERM");
    expect((await finished).code).toBe(0);
  }
});
