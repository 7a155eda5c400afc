import { expect, test } from "vitest";
import { RevisionMemo } from "../../src/api/reads/revision-memo.ts";
import { Code, DomainError } from "../../src/domain/base/errors.ts";
import { readLive } from "../harness/heap.ts";

/** A memo of three entries over projects whose revision a test sets. */
function createMemo() {
  const state: { revision: number | undefined } = { revision: 1 };
  const memo = new RevisionMemo<string>({ knownRevision: () => state.revision }, 3);
  const reads: string[] = [];
  const find = (key: string, projectId = "p") =>
    memo.find(projectId, key, async () => {
      reads.push(`${projectId}/${key}`);
      return `${key}@${state.revision}`;
    });
  return { state, memo, reads, find };
}

test("what is kept is found again until the project changes", async () => {
  const { state, reads, find } = createMemo();
  expect([await find("a"), await find("a")]).toEqual(["a@1", "a@1"]);
  state.revision = 2;
  expect([await find("a"), await find("a")]).toEqual(["a@2", "a@2"]);
  expect(reads).toEqual(["p/a", "p/a"]);
});

test("what is read while the revision is unknown is not kept", async () => {
  const { state, reads, find } = createMemo();
  await find("a");
  state.revision = undefined;
  expect([await find("a"), await find("a")]).toEqual(["a@undefined", "a@undefined"]);
  state.revision = 1;
  expect(await find("a")).toBe("a@1");
  expect(reads.length).toBe(3);
});

test("two projects share nothing, whatever their ids are", async () => {
  const { reads, find } = createMemo();
  await find('","b', "a");
  await find("b", 'a","');
  await find("b", "a");
  expect(reads.length).toBe(3);
});

test("the longest unused entry goes first", async () => {
  const { reads, find } = createMemo();
  for (const key of ["a", "b", "c", "a", "d"]) await find(key);
  reads.length = 0;
  for (const key of ["a", "c", "d"]) await find(key);
  expect(reads).toEqual([]);
  await find("b");
  expect(reads).toEqual(["p/b"]);
});

test("what fails reaches all who ask and is not kept", async () => {
  const { memo, find } = createMemo();
  const fail = () => memo.find("p", "a", () => Promise.reject(new Error("no")));
  const got = await Promise.allSettled([fail(), fail()]);
  expect(got.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await find("a")).toBe("a@1");
});

test("what was read of an older state does not outlive it", async () => {
  const { state, memo, find } = createMemo();
  let finish: (value: string) => void = () => undefined;
  const slow = memo.find("p", "a", () => new Promise((resolve) => (finish = resolve)));
  await Promise.resolve();
  state.revision = 2;
  await new Promise((resolve) => setImmediate(resolve));
  finish("old");
  expect(await slow).toBe("old");
  expect(await find("a")).toBe("a@2");
});

test("values are kept up to their total size, and one that is larger is not", async () => {
  const memo = new RevisionMemo<string>({ knownRevision: () => 1 }, 10, ({ length }) => length);
  let reads = 0;
  const find = (value: string) =>
    memo.find("p", value, async () => {
      reads += 1;
      return value;
    });
  for (const value of ["12345", "1234567890", "12345678901"]) {
    expect([await find(value), await find(value)]).toEqual([value, value]);
  }
  // The third is read each time, and nothing else is kept.
  expect([reads, memo.size]).toEqual([4, 0]);
  for (const value of ["1234", "123456", "1234"]) await find(value);
  expect([reads, memo.size]).toEqual([6, 10]);
  await find("1");
  expect(memo.size).toBe(5);
});

test.each([
  [Code.CANCELLED, "CALL_CANCELLED"],
  [Code.RESOURCE_EXHAUSTED, "EXPENSIVE_READS_LIMIT"],
] as const)("if the read of a caller ends by %i %s, another one reads", async (code, reason) => {
  const { memo, find } = createMemo();
  let leave = () => {};
  const left = new Promise<string>((_, reject) => {
    leave = () => reject(new DomainError(code, reason, "the read has ended"));
  });
  const first = memo.find("p", "a", () => left);
  const others = [find("a"), find("a")];
  leave();
  await expect(first).rejects.toMatchObject({ reason });
  expect(await Promise.all(others)).toEqual(["a@1", "a@1"]);
});

test("long keys take no more memory than short ones", async () => {
  const memo = new RevisionMemo<string>({ knownRevision: () => 1 }, 1_000);
  const before = readLive();
  for (let number = 0; number < 1_000; number += 1) {
    await memo.find("p", `${number}`.padEnd(100_000, "x"), async () => "");
  }
  expect(memo.size).toBe(1_000);
  expect(readLive() - before).toBeLessThan(20_000_000);
});
