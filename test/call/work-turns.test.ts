import { expect, test } from "vitest";
import { createWorkTurns } from "../../src/call/work-turns.ts";

test("one of those who wait goes on in each turn of the event loop, in their order", async () => {
  const takeTurn = createWorkTurns();
  const seen: string[] = [];
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const work = async (name: string) => {
    for (let step = 0; step < 3; step += 1) {
      await takeTurn();
      seen.push(`${name}${turns}`);
    }
  };
  await Promise.all(["a", "b", "c"].map(work));
  isOver = true;
  expect(seen.map((it) => it[0]).join("")).toBe("abcabcabc");
  expect(new Set(seen.map((it) => it.slice(1))).size).toBe(9);
});
