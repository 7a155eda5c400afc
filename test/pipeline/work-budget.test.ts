import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/api/steps/incoming-call.ts";
import { WorkLimits, WorkTurns } from "../../src/api/steps/work-limits.ts";

const SIGNAL = new AbortController().signal;
const project = (projectId: string): Caller => ({
  kind: "project",
  key: { projectId, organizationId: "acme", kind: "public" },
});
const account = (id: string, organizationId = "acme"): Caller => ({
  kind: "account",
  account: { id, organizationId },
  responseKey: new Uint8Array(),
});

/** Calls that each spend some time and then wait to be let go. */
function open() {
  let time = 0;
  const turns = { pause: async () => {} };
  const limits = new WorkLimits({ clock: () => time, turns, writeTurns: turns });
  return (caller: Caller, milliseconds: number) => {
    let end = (_error?: Error) => {};
    const waiting = new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve());
    });
    const read = limits.run(caller, SIGNAL, async (budget) => {
      budget.count(() => {
        time += milliseconds;
      });
      await waiting;
    });
    const done = read.then(
      () => "done",
      (error: { reason?: string; message: string }) => error.reason ?? error.message,
    );
    return { done, end };
  };
}

const rejection = "EXPENSIVE_READS_LIMIT";

describe("expensive calls", () => {
  test("may be four of one caller at the same time, and not five", async () => {
    const call = open();
    const four = Array.from({ length: 4 }, () => call(project("a"), 101));
    expect(await call(project("a"), 101).done).toBe(rejection);
    four[0]?.end();
    expect(await four[0]?.done).toBe("done");
    const next = call(project("a"), 101);
    expect(await call(project("a"), 101).done).toBe(rejection);
    for (const { end } of [...four, next]) end();
    for (const { done } of [...four, next]) expect(await done).toBe("done");
  });

  test("make room also when they fail", async () => {
    const call = open();
    const four = Array.from({ length: 4 }, () => call(project("a"), 101));
    for (const { end, done } of four) {
      end(new Error("broken"));
      expect(await done).toBe("broken");
    }
    const next = call(project("a"), 101);
    next.end();
    expect(await next.done).toBe("done");
  });

  test("do not stand in the way of cheap ones, nor of other callers", async () => {
    const call = open();
    for (let count = 0; count < 4; count += 1) call(project("a"), 101);
    for (const [caller, time] of [
      [project("a"), 100],
      [project("b"), 101],
      [account("a"), 101],
    ] as const) {
      const { done, end } = call(caller, time);
      end();
      expect(await done).toBe("done");
    }
  });

  test("of an account are counted by the account", async () => {
    const call = open();
    for (let count = 0; count < 4; count += 1) call(account("ann"), 101);
    expect(await call(account("ann"), 101).done).toBe(rejection);
    for (const caller of [account("bob"), account("ann", "other")]) {
      const { done, end } = call(caller, 101);
      end();
      expect(await done).toBe("done");
    }
  });
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("a call whose client has gone while it waited for its turn reads nothing", async () => {
  const gone = new AbortController();
  gone.abort();
  const limits = new WorkLimits({
    ...{ clock: () => 0, turns: new WorkTurns(), writeTurns: new WorkTurns() },
  });
  const read = limits.run(project("a"), gone.signal, async () => expect.unreachable());
  await expect(read).rejects.toMatchObject({ reason: "CALL_CANCELLED" });
});

test("a write yields after 10 ms of any work, in turns of its own, and is never expensive", async () => {
  let time = 0;
  let pauses = 0;
  const limits = new WorkLimits({
    clock: () => time,
    turns: { pause: () => expect.unreachable() },
    writeTurns: {
      async pause() {
        pauses += 1;
        // The time of the others is not its own.
        time += 1_000;
      },
    },
  });
  const write = () =>
    limits.runWrite(project("a"), SIGNAL, async (budget) => {
      for (let step = 0; step < 41; step += 1) {
        await budget.pace();
        time += 5;
      }
      return budget.spent;
    });
  const spent = await Promise.all(Array.from({ length: 5 }, write));
  expect(Math.min(...spent)).toBeGreaterThanOrEqual(200);
  expect(pauses).toBeGreaterThanOrEqual(5 * 20);
});

test("calls that arrive together begin in one turn of the event loop for 20 ms", async () => {
  let now = 0;
  const turns = new WorkTurns(() => now);
  const begun: number[] = [];
  const begin = (number: number) => {
    const turn = turns.begin(project("a"));
    if (turn === undefined) begun.push(number);
    else turn.then(() => begun.push(number));
  };
  begin(1);
  now = 19;
  begin(2);
  now = 20;
  for (const number of [3, 4, 5]) begin(number);
  expect(begun).toEqual([1, 2]);
  await nextTurn();
  expect(begun).toEqual([1, 2, 3]);
  // Later ones do not overtake.
  begin(6);
  for (const want of [4, 5, 6]) {
    await nextTurn();
    expect(begun.at(-1)).toBe(want);
  }
  await nextTurn();
  begin(7);
  expect(begun.at(-1)).toBe(7);
});

test("one call goes on in each turn of the event loop, those of a caller in their order", async () => {
  const turns = new WorkTurns();
  const seen: string[] = [];
  let passed = 0;
  let isOver = false;
  const count = () => {
    passed += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const work = async (name: string) => {
    for (let step = 0; step < 3; step += 1) {
      await turns.pause(project("a"));
      seen.push(`${name}${passed}`);
    }
  };
  await Promise.all(["a", "b", "c"].map(work));
  isOver = true;
  expect(seen.map((it) => it[0]).join("")).toBe("abcabcabc");
  expect(new Set(seen.map((it) => it.slice(1))).size).toBe(9);
});

test.each([
  ["organization", (name: string) => account("ann", name)],
  ["caller of an organization", (name: string) => account(name)],
])(
  "between two turns of an %s every other one has at most one, however many calls each has",
  async (_, callerOf) => {
    // For each caller the turns that each of its calls takes.
    const mixes = fc.array(
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 20 }),
      {
        minLength: 2,
        maxLength: 5,
      },
    );
    await fc.assert(
      fc.asyncProperty(mixes, async (mix) => {
        const turns = new WorkTurns(() => 0);
        const seen: number[] = [];
        const work = async (caller: number, steps: number) => {
          for (let step = 0; step < steps; step += 1) {
            await turns.pause(callerOf(String(caller)));
            seen.push(caller);
          }
        };
        const calls = mix.flatMap((steps, caller) => steps.map((count) => work(caller, count)));
        await Promise.all(calls);
        expect(seen.length).toBe(mix.flat().reduce((sum, count) => sum + count));
        for (const caller of mix.keys()) {
          const places = seen.flatMap((it, place) => (it === caller ? [place] : []));
          for (const [index, place] of places.entries()) {
            const between = seen.slice((places[index - 1] ?? -1) + 1, place);
            expect(new Set(between).size).toBe(between.length);
          }
        }
      }),
      { numRuns: 100 },
    );
  },
);

test("the callers of an organization share its turns, however many there are", async () => {
  const turns = new WorkTurns(() => 0);
  const seen: string[] = [];
  const work = async (caller: Caller, name: string) => {
    for (let step = 0; step < 3; step += 1) {
      await turns.pause(caller);
      seen.push(name);
    }
  };
  const many = Array.from({ length: 20 }, (_, number) => work(account(String(number)), "many"));
  await Promise.all([...many, work(project("b"), "many"), work(account("ann", "other"), "one")]);
  expect(seen.slice(0, 6)).toEqual(["many", "one", "many", "one", "many", "one"]);
  expect(seen.length).toBe(66);
});
