import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ApplyReleaseRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import { ReleaseSchema, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { RELEASE_SLOTS, ReleaseSchedule } from "../../../src/api/release-schedule.ts";
import { Code, DomainError, databaseUnavailable } from "../../../src/domain/base/errors.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { openFresh } from "../../harness/fresh-store.ts";
import { ALPHA, BETA, createSmallDataset, GAMMA } from "../../storage/small-dataset.ts";

const MOST = 10;

/** The organizations of projects. */
const OWNERS: Readonly<Record<string, string>> = {
  [ALPHA]: "acme",
  [BETA]: "acme",
  [GAMMA]: "other",
};

/** A release that is being applied; it ends when the test says so. */
interface Attempt {
  readonly id: string;
  end(error?: Error): Promise<void>;
}

/** Starts a schedule whose releases are applied by the test. */
async function startSchedule(more: { readonly projects?: readonly string[] } = {}) {
  const data = createSmallDataset();
  const projects = (more.projects ?? []).map((id) => ({ id, organizationId: "acme", name: id }));
  const fresh = await openFresh({ ...data, projects: [...(data.projects ?? []), ...projects] });
  onTestFinished(fresh.close);
  const { store } = fresh;
  const attempts: Attempt[] = [];
  let passed = 0;
  const ended = vi.fn();
  const { log, lines } = captureLog();
  const schedule = new ReleaseSchedule({
    store,
    pipeline: {
      async callFor(_account, _call, message) {
        const { releaseId: id } = message as ApplyReleaseRequest;
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        attempts.push({
          id,
          async end(error) {
            const times = ended.mock.calls.length;
            if (error === undefined) {
              await setState(store, id, ReleaseState.APPLIED);
              resolve();
            } else {
              reject(error);
            }
            await expect.poll(() => ended.mock.calls.length).toBeGreaterThan(times);
          },
        });
        await promise;
        return message;
      },
    },
    createId: randomUUID,
    clock: () => new Date(1_000_000),
    passed: () => passed,
    log,
    onRuns: () => {},
  });
  return {
    ...{ store, schedule, lines },
    pass(milliseconds: number) {
      passed += milliseconds;
    },
    /** Begins what can begin; returns all that has not ended. */
    async begin(): Promise<string[]> {
      for (let steps = 0; steps < MOST; steps += 1) if ((await schedule.step(ended)) > 0) break;
      return attempts.map(({ id }) => id);
    },
    async end(id: string, error?: Error) {
      const index = attempts.findIndex((it) => it.id === id);
      const [attempt] = attempts.splice(index, 1);
      await attempt?.end(error);
    },
  };
}

async function addRelease(store: Store, id: string, projectId: string, second: number) {
  const organizationId = OWNERS[projectId] ?? "acme";
  const times = { applyTime: timestampFromMs(second * 1_000) };
  const fields = { id, projectId, name: id, state: ReleaseState.SCHEDULED, ...times };
  await store.in(organizationId).documents.release.create(create(ReleaseSchema, fields));
}

async function setState(store: Store, id: string, state: ReleaseState) {
  for (const organizationId of ["acme", "other"]) {
    const { release } = store.in(organizationId).documents;
    const [current] = await release.getMany([id]);
    if (current !== undefined) await release.update(id, ({ value }) => ({ ...value, state }));
  }
}

describe("scheduled releases take turns", () => {
  test("those of a project are applied one after the other, by time and id", async () => {
    const { store, begin, end } = await startSchedule();
    await addRelease(store, "b", ALPHA, 10);
    await addRelease(store, "a", ALPHA, 10);
    await addRelease(store, "first", ALPHA, 9);
    await addRelease(store, "other-project", BETA, 11);
    for (const id of ["first", "a", "b"]) {
      expect(await begin()).toContain(id);
      expect((await begin()).sort()).toEqual([id, "other-project"].sort());
      await end(id);
    }
    expect(await begin()).toEqual(["other-project"]);
    await end("other-project");
    expect(await begin()).toEqual([]);
  });

  test("an organization takes its slots, and no more", async () => {
    const projects = Array.from({ length: RELEASE_SLOTS.total + 1 }, (_, index) => `p${index}`);
    const { store, begin, end } = await startSchedule({ projects });
    for (const [index, project] of projects.entries()) {
      await addRelease(store, `r${index}`, project, index + 1);
    }
    expect(await begin()).toEqual(["r0", "r1"]);
    await addRelease(store, "late", GAMMA, 100);
    expect(await begin()).toEqual(["r0", "r1", "late"]);
    await end("r1");
    expect(await begin()).toEqual(["r0", "late", "r2"]);
    for (const id of ["r0", "late", "r2"]) await end(id);
  });

  test("the organization that has waited longest is next, not the one with most", async () => {
    const { store, begin, end } = await startSchedule();
    for (const [id, project, second] of [
      ["a1", ALPHA, 1],
      ["a2", ALPHA, 2],
      ["a3", ALPHA, 3],
      ["g1", GAMMA, 8],
      ["g2", GAMMA, 9],
    ] as const) {
      await addRelease(store, id, project, second);
    }
    const order: string[] = [];
    for (let running = await begin(); running.length > 0; running = await begin()) {
      order.push(...running);
      for (const id of running) await end(id);
    }
    expect(order).toEqual(["a1", "g1", "a2", "g2", "a3"]);
  });
});

describe("a release that cannot be tried", () => {
  test.each([
    ["as the database is unavailable", databaseUnavailable("x")],
    [
      "as the organization is busy",
      new DomainError(Code.RESOURCE_EXHAUSTED, "RATE_LIMITED", "busy", { retryAfter: 1 }),
    ],
  ])("%s: it waits 1, 2, 4 … 60 seconds and stays scheduled", async (_name, error) => {
    const { store, begin, end, pass, lines, schedule } = await startSchedule();
    await addRelease(store, "r", ALPHA, 1);
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect([seconds, await begin()]).toEqual([seconds, ["r"]]);
      await end("r", error);
      pass(seconds * 1_000 - 1);
      expect([seconds, await begin()]).toEqual([seconds, []]);
      pass(1);
    }
    expect(lines.map(({ msg }) => msg)).toEqual(["scheduled release waits for another try"]);
    expect(schedule.failed).toBe(0);
    expect(await begin()).toEqual(["r"]);
    await end("r");
    expect(await begin()).toEqual([]);
  });

  test("holds back no other project, and its own for its first tries", async () => {
    const { store, begin, end, pass } = await startSchedule();
    await addRelease(store, "stuck", ALPHA, 1);
    await addRelease(store, "u-later", ALPHA, 1);
    await addRelease(store, "beta", BETA, 3);
    await addRelease(store, "gamma", GAMMA, 4);
    for (const [seconds, id] of [
      [1, "beta"],
      [2, "gamma"],
    ] as const) {
      expect(await begin()).toContain("stuck");
      await end("stuck", databaseUnavailable("locked"));
      expect(await begin()).toContain(id);
      expect(await begin()).not.toContain("u-later");
      await end(id);
      pass(seconds * 1_000);
    }
    expect(await begin()).toEqual(["stuck"]);
    await end("stuck", databaseUnavailable("locked"));
    expect(await begin()).toEqual(["u-later"]);
    await end("u-later");
  });

  test("any other error fails it", async () => {
    const { store, begin, end, schedule } = await startSchedule();
    await addRelease(store, "r", ALPHA, 1);
    await begin();
    await end("r", new DomainError(Code.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED", "full"));
    const { value } = await store.in("acme").documents.release.get("r");
    expect([value.state, value.failure?.reason]).toEqual([ReleaseState.FAILED, "QUOTA_EXCEEDED"]);
    expect(schedule.failed).toBe(1);
    expect(await begin()).toEqual([]);
  });
});
