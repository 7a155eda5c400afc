import { expect } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import type { LeaseClaim, LeaseResult } from "../../../src/storage/contract/playback.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { revisionOf } from "../../harness/revision.ts";
import { createLongText } from "../long-text.ts";
import { ALPHA, BETA, createSmallDataset, GAMMA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const START = Date.parse("2026-07-19T19:00:00Z");
const LENGTH_MS = 60_000;
const HELD: LeaseResult = { kind: "held" };

/** Holds that streams are counted, renewed, given back and never one too many. */
export function leaseContract(scenario: Scenario): void {
  const data = createSmallDataset();

  scenario("keys may be as long as a request allows", data, async ({ leases }) => {
    const userId = createLongText("user", 127);
    const keys = ["a", "b"].map((name) => createLongText(name, 4_096)).sort();
    for (const sessionKey of [...keys, ...keys]) {
      expect(await leases.claim(claim(sessionKey, { userId, limit: 2 }))).toEqual(HELD);
    }
    const rejected = await leases.claim(claim("c", { userId, limit: 2 }));
    expect(rejected).toMatchObject({ kind: "full", sessionKeys: keys });
    for (const sessionKey of keys) await leases.release({ projectId: ALPHA, userId, sessionKey });
    expect(await leases.claim(claim("c", { userId, limit: 1 }))).toEqual(HELD);
  });

  scenario("a viewer has as many streams as the limit, no more", data, async ({ leases }) => {
    for (let limit = 0; limit <= 3; limit += 1) {
      const userId = `user-${limit}`;
      const taken = Array.from({ length: limit }, (_, index) => `s-${index}`);
      for (const [index, sessionKey] of taken.entries()) {
        expect(await leases.claim(claim(sessionKey, { userId, limit }, index))).toEqual(HELD);
      }
      const more = await leases.claim(claim("more", { userId, limit }, 10));
      expect(more).toEqual(full(...taken));
    }
  });

  scenario("a renewal takes no second stream, and keeps its place", data, async ({ leases }) => {
    for (let round = 0; round < 5; round += 1) {
      expect(await leases.claim(claim("first", { limit: 2 }, round))).toEqual(HELD);
    }
    expect(await leases.claim(claim("second", { limit: 2 }, 5))).toEqual(HELD);
    for (const [key, at] of [
      ["second", 6],
      ["first", 7],
    ] as const) {
      expect(await leases.claim(claim(key, { limit: 2, videoId: "other" }, at))).toEqual(HELD);
    }
    expect(await leases.claim(claim("third", { limit: 2 }, 8))).toEqual(full("first", "second"));
  });

  scenario("a renewal holds its stream for longer", data, async ({ leases }) => {
    const until = (at: number) => claim("first", { limit: 1 }, at);
    expect(await leases.claim(until(0))).toEqual(HELD);
    expect(await leases.claim(until(LENGTH_MS - 1))).toEqual(HELD);
    const other = (at: number) => leases.claim(claim("other", { limit: 1 }, at));
    expect(await other(LENGTH_MS)).toEqual(full("first"));
    expect(await other(2 * LENGTH_MS - 2)).toEqual(full("first"));
    expect(await other(2 * LENGTH_MS - 1)).toEqual(HELD);
  });

  scenario("a stream is free from the moment that its lease ends", data, async ({ leases }) => {
    await leases.claim(claim("a", { limit: 2 }, 0));
    await leases.claim(claim("b", { limit: 2 }, 10));
    const late = (at: number) => leases.claim(claim("late", { limit: 2 }, at));
    expect(await late(LENGTH_MS - 1)).toEqual(full("a", "b"));
    expect(await late(LENGTH_MS)).toEqual(HELD);
    expect(await leases.claim(claim("b", { limit: 2 }, LENGTH_MS))).toEqual(HELD);
  });

  scenario("live streams of all viewers are counted, and claims", data, async ({ leases }) => {
    expect(leases.claims).toEqual({ held: 0, full: 0 });
    await leases.claim(claim("a", { limit: 1 }, 0));
    await leases.claim(claim("b", { limit: 1 }, 0));
    await leases.claim(claim("a", { limit: 1, userId: "other" }, 10));
    expect(await leases.count(new Date(START + LENGTH_MS - 1))).toBe(2);
    expect(await leases.count(new Date(START + LENGTH_MS))).toBe(1);
    expect(leases.claims).toEqual({ held: 2, full: 1 });
  });

  scenario("one taken before the clock was put back is free", data, async ({ leases }) => {
    await leases.claim(claim("ahead", { limit: 1 }, LENGTH_MS + 1));
    const other = (at: number) => leases.claim(claim("other", { limit: 1 }, at));
    // As far ahead as the clock of another machine may be.
    expect(await other(1)).toEqual(full("ahead"));
    expect(await other(0)).toEqual(HELD);
    expect(await leases.claim(claim("ahead", { limit: 1 }, 0))).toEqual(full("other"));
  });

  scenario("a lease that comes back too late stands in line again", data, async ({ leases }) => {
    const back = (at: number) => leases.claim(claim("back", { limit: 1 }, at));
    await back(0);
    expect(await leases.claim(claim("other", { limit: 1 }, LENGTH_MS))).toEqual(HELD);
    expect(await back(LENGTH_MS)).toEqual(full("other"));
    await leases.claim(claim("late", { limit: 2 }, LENGTH_MS + 1));
    expect(await back(2 * LENGTH_MS)).toEqual(full("late"));
    expect(await back(2 * LENGTH_MS + 1)).toEqual(HELD);
  });

  scenario("a lease that has ended renews nothing", data, async ({ leases }) => {
    await leases.claim(claim("a", { limit: 2 }, 0));
    await leases.claim(claim("b", { limit: 2 }, 1));
    expect(await leases.claim(claim("a", { limit: 1 }, LENGTH_MS))).toEqual(full("b"));
  });

  scenario("one that comes back is the newest", data, async ({ leases }) => {
    await leases.claim(claim("back", { limit: 2 }, 0));
    await leases.claim(claim("between", { limit: 2 }, 10));
    await leases.claim(claim("back", { limit: 2 }, LENGTH_MS + 5));
    const got = await leases.claim(claim("more", { limit: 2 }, LENGTH_MS + 6));
    expect(got).toEqual(full("between", "back"));
  });

  scenario("a stream that is given back is free at once", data, async ({ leases }) => {
    await leases.claim(claim("a", { limit: 1 }, 0));
    await leases.release(claim("other", {}));
    expect(await leases.claim(claim("b", { limit: 1 }, 1))).toEqual(full("a"));
    await leases.release(claim("a", {}));
    await leases.release(claim("a", {}));
    expect(await leases.claim(claim("b", { limit: 1 }, 1))).toEqual(HELD);
  });

  scenario("a lower limit ends no stream, and takes none anew", data, async ({ leases }) => {
    for (const key of ["a", "b", "c"]) await leases.claim(claim(key, { limit: 3 }, 0));
    for (const key of ["c", "b", "a"]) {
      expect(await leases.claim(claim(key, { limit: 1 }, 1))).toEqual(HELD);
    }
    expect(await leases.claim(claim("d", { limit: 2 }, 2))).toEqual(full("a", "b"));
    expect(await leases.claim(claim("d", { limit: -1 }, 2))).toEqual(full());
  });

  scenario("who is rejected learns when a stream gets free", data, async ({ leases }) => {
    const ends = [40_000, 20_000, 30_000];
    for (const [index, end] of ends.entries()) {
      const expireTime = new Date(START + end);
      await leases.claim(claim(`s-${index}`, { limit: 3, expireTime }));
    }
    const freeTime = async (limit: number, at: number) => {
      const result = await leases.claim(claim("more", { limit }, at));
      return result.kind === "full" ? result.freeTime && result.freeTime.getTime() - START : "held";
    };
    // Under a lower limit than before, one end is not enough.
    for (const [limit, at, want] of [
      [3, 0, 20_000],
      [2, 0, 30_000],
      [1, 0, 40_000],
      [0, 0, undefined],
      [-1, 0, undefined],
      [3, 19_999, 20_000],
      [2, 20_000, 30_000],
      [1, 20_000, 40_000],
      [1, 39_999, 40_000],
      [1, 40_000, "held"],
    ] as const) {
      expect([limit, at, await freeTime(limit, at)]).toEqual([limit, at, want]);
    }
  });

  scenario("a renewal puts off when a stream gets free", data, async ({ leases }) => {
    await leases.claim(claim("a", { limit: 1 }, 0));
    await leases.claim(claim("a", { limit: 1 }, 500));
    await leases.claim(claim("a", { limit: 1, userId: "another" }, 0));
    const freeTime = new Date(START + 500 + LENGTH_MS);
    expect(await leases.claim(claim("b", { limit: 1 }, 600))).toMatchObject({ freeTime });
  });

  scenario("users, projects and keys are distinguished byte for byte", data, async ({ leases }) => {
    const own = { projectId: ALPHA, userId: "u", limit: 1 };
    expect(await leases.claim(claim("key", own))).toEqual(HELD);
    for (const other of [{ userId: "U" }, { userId: "u " }, { userId: "" }, { projectId: BETA }]) {
      for (const key of ["key", "KEY"]) {
        expect(await leases.claim(claim(key, { ...own, ...other }))).toEqual(HELD);
        await leases.release(claim(key, { ...own, ...other }));
      }
    }
    expect(await leases.claim(claim("KEY", own, 1))).toEqual(full("key"));
  });

  scenario("no claim moves the version or the project", data, async (store) => {
    const { leases } = store;
    const before = [store.accessVersion(), await revisionOf(store, ALPHA)];
    await leases.claim(claim("a", {}));
    await leases.release(claim("a", {}));
    expect([store.accessVersion(), await revisionOf(store, ALPHA)]).toEqual(before);
  });

  scenario("of 60 at once, through two stores, the limit wins", data, async (store, fresh) => {
    const stores = [store.leases, (await fresh.openAnother()).leases];
    const keys = Array.from({ length: 60 }, (_, index) => `s-${index}`);
    const results = await Promise.all(
      keys.map((key, index) => stores[index % 2]?.claim(claim(key, { limit: 3 }))),
    );
    const winners = keys.filter((_, index) => results[index]?.kind === "held");
    expect(winners.length).toBe(3);
    for (const result of results.filter((it) => it?.kind === "full")) {
      expect(result).toEqual(full(...winners.sort()));
    }
  });

  scenario("a project under a deleted one's id has no streams", data, async (store) => {
    const { leases } = store;
    const other = { projectId: GAMMA, limit: 1 };
    for (const projectId of [BETA, GAMMA]) {
      expect(await leases.claim(claim("held", { projectId, limit: 1 }))).toEqual(HELD);
    }
    const [project] = await store.in("acme").documents.project.getMany([BETA]);
    if (project === undefined) throw new Error("there is no project");
    await store.in("acme").documents.project.delete(BETA, () => {});
    const gone = { code: Code.NOT_FOUND };
    const late = claim("late", { projectId: BETA, limit: 1 });
    await expect(leases.claim(late)).rejects.toMatchObject(gone);
    await leases.release(late);
    await store.in("acme").documents.project.create({ ...project.value, organizationId: "other" });
    expect(await leases.claim(late)).toEqual(HELD);
    const more = await leases.claim(claim("more", { projectId: BETA, limit: 1 }));
    expect(more).toEqual(full("late"));
    expect(await leases.claim(claim("more", other))).toEqual(full("held"));
  });

  scenario("60 claims of one session at once hold one stream", data, async (store, fresh) => {
    const stores = [store.leases, (await fresh.openAnother()).leases];
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, at) => stores[at % 2]?.claim(claim("one", { limit: 2 }, at))),
    );
    expect(results.every((it) => it?.kind === "held")).toBe(true);
    expect(await store.leases.claim(claim("two", { limit: 2 }, 60))).toEqual(HELD);
    expect(await store.leases.claim(claim("three", { limit: 2 }, 60))).toEqual(full("one", "two"));
  });

  scenario("60 players that come and go never hold a fourth", data, async (store, fresh) => {
    const stores = [store.leases, (await fresh.openAnother()).leases];
    let playing = 0;
    let most = 0;
    const play = async (leases: Store["leases"], sessionKey: string) => {
      for (let round = 0; round < 4; round += 1) {
        if ((await leases.claim(claim(sessionKey, { limit: 3 }))).kind === "full") continue;
        playing += 1;
        most = Math.max(most, playing);
        for (let step = 0; step < round; step += 1) await leases.claim(claim(sessionKey, {}));
        playing -= 1;
        await leases.release(claim(sessionKey, {}));
      }
    };
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const leases = stores[index % 2];
        return leases && play(leases, `s-${index}`);
      }),
    );
    expect(most).toBe(3);
  });
}

function claim(sessionKey: string, changes: Partial<LeaseClaim>, at: number = 0): LeaseClaim {
  return {
    projectId: ALPHA,
    userId: "user-1",
    sessionKey,
    videoId: "video-1",
    limit: 3,
    now: new Date(START + at),
    expireTime: new Date(START + at + LENGTH_MS),
    ...changes,
  };
}

/** The rejection of a claim while these sessions hold the streams, whenever one gets free. */
function full(...sessionKeys: string[]): LeaseResult {
  return expect.objectContaining({ kind: "full", sessionKeys });
}
