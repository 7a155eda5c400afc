import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Logger } from "pino";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  type ActionRun,
  ActionRunSchema,
  ActionRunState,
} from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { OrganizationSchema } from "../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { ProjectSchema } from "../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { RunSlots } from "../../src/domain/actions/run-slots.ts";
import { createResolveName, type ResolveName } from "../../src/network/resolve-name.ts";
import { Retention } from "../../src/outbox/retention.ts";
import { createSender } from "../../src/outbox/send.ts";
import { ActionWorker } from "../../src/outbox/worker.ts";
import type { RunClaim, TakenRuns } from "../../src/storage/contract/outbox.ts";
import { captureLog } from "../harness/captured-log.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { silentLog } from "../harness/marquee.ts";
import { startNameServer } from "../harness/name-server.ts";
import { override } from "../harness/override.ts";
import { createEndlessBudget } from "../storage/slow-budget.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";
import { createDueRun, createWebhook } from "./outbox.ts";
import { startReceiver } from "./receiver.ts";

const START = new Date("2026-07-19T19:00:00Z");

let fresh: FreshStore;
let now: Date;
beforeEach(async () => {
  fresh = await openFresh(createSmallDataset());
  onTestFinished(fresh.close);
  now = START;
});

type Take = (claim: RunClaim) => Promise<TakenRuns>;

interface WorkerChanges {
  readonly allowPrivate?: boolean;
  readonly timeout?: number;
  readonly resolve?: ResolveName;
  readonly take?: (claim: RunClaim, next: Take) => Promise<TakenRuns>;
  readonly finish?: (next: () => Promise<boolean>) => Promise<boolean>;
  readonly log?: Logger;
}

/** Starts a worker, for which every name is this machine unless said; `take` and `finish` stand before those of the store. */
function startWorker({
  allowPrivate = true,
  timeout = 1_000,
  resolve = async () => ["127.0.0.1"],
  take = (claim: RunClaim, next: Take) => next(claim),
  finish = (next) => next(),
  log = silentLog(),
}: WorkerChanges = {}): ActionWorker {
  const { actionRuns } = fresh.store;
  const worker = new ActionWorker({
    retention: new Retention(fresh.store, { read: async () => now }),
    releases: { step: async () => 1_000, close: async () => {} },
    runs: override(actionRuns, {
      take: (claim) => take(claim, (next) => actionRuns.take(next)),
      finish: (...args) => finish(() => actionRuns.finish(...args)),
    }),
    sender: createSender({
      allowPrivateTargets: allowPrivate,
      timeout,
      resolve,
    }),
    ...{ clock: () => now, createId: randomUUID, random: () => 0, log },
  });
  onTestFinished(() => worker.close(0));
  return worker;
}

/** Starts a receiver, which returns 200 unless it is given something else to do. */
async function receive(respond: RequestListener = (_request, response) => void response.end()) {
  const receiver = await startReceiver(respond);
  onTestFinished(receiver.close);
  return receiver;
}

/** Makes a run of a webhook that is due. */
const createRun = async (url: string) =>
  createDueRun(fresh.store, await createWebhook(fresh.store, "hook", url), START);

const get = async (id: string) => (await fresh.store.in("acme").runAdmin.get(id)).value;
const seconds = ({ nextAttemptTime }: ActionRun) =>
  Number(nextAttemptTime?.seconds ?? 0n) - START.getTime() / 1_000;

/** Moves the clock and waits until another attempt ended. */
async function attempt(worker: ActionWorker, id: string, at: number, count: number) {
  now = new Date(START.getTime() + at * 1_000);
  worker.wake();
  await expect.poll(async () => (await get(id)).attemptCount).toBe(count);
  return await get(id);
}

test("a database that is away is logged once each time, however often it is asked", async () => {
  const { log, lines } = captureLog();
  await createRun("http://localhost:9");
  let isAway = true;
  let asked = 0;
  const worker = startWorker({
    log,
    async take() {
      asked += 1;
      if (isAway) throw new Error("away");
      return { runs: [], isCut: false };
    },
  });
  const ask = (times: number) => {
    const wanted = asked + times;
    return expect
      .poll(
        () => {
          worker.wake();
          return asked;
        },
        { timeout: 10_000 },
      )
      .toBeGreaterThan(wanted);
  };
  for (let time = 1; time <= 2; time += 1) {
    isAway = true;
    await ask(3);
    expect(lines.map(({ msg }) => msg)).toEqual(
      Array.from({ length: time }, () => "cannot process the outbox of actions"),
    );
    isAway = false;
    await ask(3);
  }
});

test("a receiver that returns 500 is asked again, ever later, with the same id and body", async () => {
  const responses = [500, 503, 429, 200];
  const receiver = await receive((_request, response) => {
    response.statusCode = responses[receiver.requests.length - 1] ?? 0;
    response.end();
  });
  const run = await createRun(receiver.url);
  const worker = startWorker();
  const got = [];
  for (const [count, at] of [0, 5, 25, 105].entries()) {
    const { state, reason, ...rest } = await attempt(worker, run.id, at, count + 1);
    got.push([state, reason, seconds(rest as ActionRun)]);
  }
  expect(got).toEqual([
    [ActionRunState.PENDING, "STATUS_500", 5],
    [ActionRunState.PENDING, "STATUS_503", 25],
    [ActionRunState.PENDING, "STATUS_429", 105],
    [ActionRunState.SUCCEEDED, "", -START.getTime() / 1_000],
  ]);
  expect(receiver.requests.map(({ headers }) => headers["webhook-id"])).toEqual(
    Array(4).fill(run.id),
  );
  expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
  const times = receiver.requests.map(({ headers }) => Number(headers["webhook-timestamp"]));
  expect(times.map((it) => it - START.getTime() / 1_000)).toEqual([0, 5, 25, 105]);
  expect(worker.counts).toEqual({ succeeded: 1, retried: 3, given_up: 0 });
});

describe("an outcome that the database does not take", () => {
  test("is recorded when the database is back, without another attempt", async () => {
    const receiver = await receive();
    const { id } = await createRun(receiver.url);
    let asked = 0;
    startWorker({
      async finish(next) {
        asked += 1;
        if (asked < 3) throw new Error("away");
        return next();
      },
    });
    const stateOf = async () => (await get(id)).state;
    await expect.poll(stateOf, { timeout: 5_000 }).toBe(ActionRunState.SUCCEEDED);
    expect([asked, receiver.requests.length, (await get(id)).attemptCount]).toEqual([3, 1, 1]);
  });

  test("is given up with the lease, and the run is sent again", async () => {
    const { log, lines } = captureLog();
    const receiver = await receive();
    const { id } = await createRun(receiver.url);
    let isAway = true;
    startWorker({
      log,
      async finish(next) {
        if (!isAway) return next();
        now = new Date(START.getTime() + 60_000);
        isAway = false;
        throw new Error("away");
      },
    });
    await expect.poll(async () => (await get(id)).state).toBe(ActionRunState.SUCCEEDED);
    expect(receiver.requests).toHaveLength(2);
    expect(lines.map(({ msg }) => msg)).toEqual(["cannot record the outcome of an action run"]);
  });
});

describe("a host whose name is not resolved in time rests", () => {
  /** Resolves all names but one as this machine; that one takes too long. */
  async function openNames() {
    const names = await startNameServer((name) =>
      name === "nobody.example" ? "swallow" : { addresses: ["127.0.0.1"] },
    );
    onTestFinished(names.close);
    return createResolveName({ servers: [names.address], resolverFile: "", limit: 100 });
  }
  const SLOW = "http://nobody.example/";

  test("for 30 seconds, in which others are sent to and it loses no attempt", async () => {
    const { port } = await receive();
    const slow = await createWebhook(fresh.store, "slow", SLOW);
    const other = await createWebhook(fresh.store, "other", `http://a.example:${port}`);
    const { id } = await createDueRun(fresh.store, slow, START);
    const worker = startWorker({ resolve: await openNames() });
    const first = await attempt(worker, id, 0, 1);
    expect([first.reason, seconds(first)]).toEqual(["NAME_TIMEOUT", 5]);
    const waiting = await createDueRun(fresh.store, slow, START);
    // When this one is sent, the worker has looked at the others.
    const { id: sent } = await createDueRun(fresh.store, other, START);
    await attempt(worker, sent, 29.9, 1);
    // Five times as long as an attempt to find the name takes.
    await sleep(500);
    expect([(await get(id)).attemptCount, (await get(waiting.id)).attemptCount]).toEqual([1, 0]);
    await attempt(worker, waiting.id, 31, 1);
    await attempt(worker, id, 62, 2);
  });

  test("and many organizations that wait for it do not keep the worker busy", async () => {
    const { store } = fresh;
    for (let n = 0; n < 40; n += 1) {
      const organizationId = `waiting-${n}`;
      const { documents } = store.in(organizationId);
      await documents.organization.create(create(OrganizationSchema, { id: organizationId }));
      await documents.project.create(create(ProjectSchema, { id: organizationId, organizationId }));
    }
    const slow = await createWebhook(store, "slow", SLOW);
    const { id } = await createDueRun(store, slow, START);
    /** The times between a claim that found nothing and the next, in milliseconds. */
    const pauses: number[] = [];
    let end = Number.NaN;
    const worker = startWorker({
      resolve: await openNames(),
      async take(claim, next) {
        if (!Number.isNaN(end)) pauses.push(performance.now() - end);
        const taken = await next(claim);
        end = taken.isCut ? performance.now() : Number.NaN;
        return taken;
      },
    });
    await attempt(worker, id, 0, 1);
    for (let n = 0; n < 40; n += 1) {
      const action = await createWebhook(store, "slow", SLOW, `waiting-${n}`);
      await createDueRun(store, action, START);
    }
    // Nothing wakes the worker, which finds them at its next poll.
    await expect.poll(() => pauses.length).toBeGreaterThan(4);
    expect(Math.min(...pauses)).toBeGreaterThan(45);
  });
});

test("an attempt that fails is made again", async () => {
  const { id } = await createRun((await receive(() => {})).url);
  const got = await attempt(startWorker({ timeout: 50 }), id, 0, 1);
  expect([got.state, got.reason, seconds(got)]).toEqual([ActionRunState.PENDING, "TIMEOUT", 5]);
});

/** Expects so many runs to be due and held by nobody. */
async function expectDue(count: number): Promise<void> {
  const { runs } = await fresh.store.actionRuns.take({
    ...{ lease: "test", now: new Date(START.getTime() + 1), limit: 100 },
    leaseEnd: new Date(START.getTime() + 60_000),
    slots: new RunSlots(),
  });
  expect(runs).toHaveLength(count);
}

describe("a clock that jumps while runs are taken", () => {
  for (const [ms, isLate] of [
    [30_000, false],
    [30_001, true],
    [31_000, true],
  ] as const) {
    const what = isLate ? "are given back, and taken again under a lease that lasts" : "are sent";
    test(`by ${ms} ms: they ${what}`, async () => {
      const receiver = await receive();
      const { id } = await createRun(receiver.url);
      const leases: string[] = [];
      const connections: number[] = [];
      startWorker({
        async take(claim, next) {
          connections.push(receiver.connections());
          const taken = await next(claim);
          if (taken.runs.length === 0) return taken;
          leases.push(claim.lease);
          if (leases.length === 1) now = new Date(START.getTime() + ms);
          return taken;
        },
      });
      await expect.poll(async () => (await get(id)).state).toBe(ActionRunState.SUCCEEDED);
      expect([leases.length, receiver.requests.length]).toEqual([isLate ? 2 : 1, 1]);
      if (isLate) expect(connections.slice(0, 2)).toEqual([0, 0]);
    });
  }

  test("beyond the lease: what another has by then is left to it", async () => {
    const receiver = await receive();
    const action = await createWebhook(fresh.store, "hook", receiver.url);
    await createDueRun(fresh.store, action, START);
    const other = { lease: "other", limit: 1, slots: new RunSlots() };
    let isFirst = true;
    startWorker({
      async take(claim, next) {
        const taken = await next(claim);
        if (isFirst) {
          now = new Date(START.getTime() + 61_000);
          const leaseEnd = new Date(now.getTime() + 60_000);
          expect((await next({ ...other, now, leaseEnd })).runs).toHaveLength(1);
        }
        isFirst = false;
        return taken;
      },
    });
    await expect.poll(() => isFirst).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.connections()).toBe(0);
    const due = await fresh.store.actionRuns.nextDueTime();
    expect(due).toEqual(new Date(START.getTime() + 121_000));
  });
});

describe("a run is given up", () => {
  const end = async (status: number, at: number, worker = startWorker()) => {
    const receiver = await receive((_request, response) => {
      response.statusCode = status;
      response.end();
    });
    const { id } = await createRun(receiver.url);
    return { got: await attempt(worker, id, at, 1), receiver, worker, id };
  };

  test("at once by 410", async () => {
    const { got } = await end(410, 0);
    expect([got.state, got.reason, got.nextAttemptTime]).toEqual([
      ActionRunState.FAILED,
      "STATUS_410",
      undefined,
    ]);
    expect(Number(got.endTime?.seconds)).toBe(START.getTime() / 1_000);
  });

  test("72 hours after its first attempt, not after it was made", async () => {
    const { got, worker, id } = await end(500, 10 * 24 * 3_600);
    expect(got.state).toBe(ActionRunState.PENDING);
    const lastChance = 10 * 24 * 3_600 + 72 * 3_600;
    const last = await attempt(worker, id, lastChance, 2);
    expect([last.state, last.reason]).toEqual([ActionRunState.FAILED, "STATUS_500"]);
  });

  test("where the target is on the own network, and nothing is sent", async () => {
    const { got, receiver } = await end(200, 0, startWorker({ allowPrivate: false }));
    expect([got.state, got.reason]).toEqual([ActionRunState.FAILED, "TARGET_NOT_ALLOWED"]);
    expect(receiver.connections()).toBe(0);
  });

  test("when its action is deleted, without an attempt", async () => {
    const { id } = await createRun("https://hooks.example.com");
    await fresh.store.in("acme").documents.action.delete("hook", () => {});
    startWorker();
    await expect.poll(async () => (await get(id)).state).toBe(ActionRunState.FAILED);
    const { reason, attemptCount } = await get(id);
    expect([reason, attemptCount]).toEqual(["ACTION_NOT_FOUND", 0]);
  });
});

describe("the end of a worker", () => {
  test("waits for what is under way, and leaves the rest that is due", async () => {
    const responses: (() => void)[] = [];
    const receiver = await receive((_request, response) => {
      responses.push(() => response.end());
    });
    const action = await createWebhook(fresh.store, "hook", receiver.url);
    const ids: string[] = [];
    // One more than a receiver has slots.
    for (let n = 0; n < 17; n += 1) ids.push((await createDueRun(fresh.store, action, START)).id);
    const worker = startWorker({ timeout: 10_000 });
    await expect.poll(() => responses.length).toBe(16);
    let isOver = false;
    const end = worker.close(10_000).then(() => {
      isOver = true;
    });
    worker.wake();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isOver).toBe(false);
    for (const respond of responses) respond();
    await end;
    const states = await Promise.all(ids.map(async (id) => (await get(id)).state));
    expect(states.filter((it) => it === ActionRunState.SUCCEEDED)).toHaveLength(16);
    expect(states.filter((it) => it === ActionRunState.PENDING)).toHaveLength(1);
    expect(receiver.requests).toHaveLength(16);
    await expectDue(1);
  });

  test("while it takes runs gives them back", async () => {
    const receiver = await receive();
    const action = await createWebhook(fresh.store, "hook", receiver.url);
    for (let n = 0; n < 3; n += 1) await createDueRun(fresh.store, action, START);
    let taken: TakenRuns | undefined;
    const { promise: pending, resolve: goOn } = Promise.withResolvers<void>();
    const worker = startWorker({
      async take(claim, next) {
        taken = await next(claim);
        await pending;
        return taken;
      },
    });
    await expect.poll(() => taken?.runs.length).toBe(3);
    const end = worker.close(10_000);
    goOn();
    await end;
    expect(receiver.connections()).toBe(0);
    await expectDue(3);
  });

  test("cuts what hangs when the grace is over, and notes the attempt", async () => {
    const receiver = await receive(() => {});
    const { id } = await createRun(receiver.url);
    const worker = startWorker({ timeout: 60_000 });
    await expect.poll(() => receiver.requests.length).toBe(1);
    await worker.close(20);
    const { state, reason, attemptCount } = await get(id);
    expect([state, reason, attemptCount]).toEqual([ActionRunState.PENDING, "CONNECTION_FAILED", 1]);
  });
});

test("one hanging receiver keeps no other waiting", async () => {
  const hanging = await receive(() => {});
  const quick = await receive();
  const slow = await createWebhook(fresh.store, "slow", hanging.url);
  for (let n = 0; n < 8; n += 1) await createDueRun(fresh.store, slow, START);
  const action = await createWebhook(fresh.store, "quick", quick.url);
  const { id } = await createDueRun(fresh.store, action, START);
  startWorker({ timeout: 60_000 });
  await expect.poll(async () => (await get(id)).state).toBe(ActionRunState.SUCCEEDED);
});

test("more than 500 runs that ended 30 days ago are deleted in steps, none while the clock is not trusted", async () => {
  const { actionRuns } = fresh.store;
  const ended = (n: number) =>
    create(ActionRunSchema, {
      ...{ id: `run-${n}`, projectId: ALPHA, actionId: "hook", state: ActionRunState.SKIPPED },
      createTime: timestampFromDate(START),
    });
  await actionRuns.create(Array.from({ length: 1_001 }, (_, n) => ({ run: ended(n) })));
  const count = async () => {
    const order = { field: "id", direction: "asc" } as const;
    const budget = createEndlessBudget();
    const query = { parentIds: [ALPHA], order, limit: 2_000, now, budget };
    return (await actionRuns.list(query)).values.length;
  };
  let isTrusted = false;
  const retention = new Retention(fresh.store, { read: async () => (isTrusted ? now : undefined) });
  const start = START.getTime() + 30 * 24 * 3_600_000;
  for (const [ms, left, trusted, pause] of [
    [1, 1_001, false, 1_000],
    [0, 1_001, true, 3_600_000],
    [1, 501, true, 100],
    [1, 1, true, 100],
    [1, 0, true, 100],
    [1, 0, true, 3_600_000],
  ] as const) {
    now = new Date(start + ms);
    isTrusted = trusted;
    expect([await retention.step(), await count()]).toEqual([pause, left]);
  }
});
