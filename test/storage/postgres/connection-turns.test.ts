import { expect, onTestFinished, test, vi } from "vitest";
import { ConnectionTurns } from "../../../src/storage/postgres/connection-turns.ts";

/** A connection that reads take turns with, and the order in which they began. */
function openTurns() {
  const turns = new ConnectionTurns(1);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  /** Reads for an organization until it is ended. */
  const read = (name: string) =>
    turns.run(name.slice(0, 1), () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  /** Ends the read that began first, and lets the next one begin. */
  const end = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { turns, begun, read, end };
}

test("organizations take turns, and the reads of one begin in their order", async () => {
  const { turns, begun, read, end } = openTurns();
  const reads = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"].map(read);
  expect([begun, turns.waiting]).toEqual([["a1"], 6]);
  for (const _ of reads) await end();
  await Promise.all(reads);
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  expect(turns.waiting).toBe(0);
});

test("a read that fails passes its connection on", async () => {
  const { turns } = openTurns();
  const failed = turns.run("a", async () => Promise.reject(new Error("broken")));
  const next = turns.run("b", async () => "read");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("read");
  expect(await turns.run("a", async () => "read")).toBe("read");
});

test("a read waits for ten seconds, and takes no turn then", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { begun, read, end } = openTurns();
  const first = read("a1");
  const late = expect(read("b1")).rejects.toMatchObject({ reason: "DATABASE_UNAVAILABLE" });
  vi.advanceTimersByTime(9_999);
  const next = read("c1");
  vi.advanceTimersByTime(1);
  await late;
  await end();
  expect(begun).toEqual(["a1", "c1"]);
  await end();
  await Promise.all([first, next]);
});
