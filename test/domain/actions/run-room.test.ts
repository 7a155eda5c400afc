import { expect, test } from "vitest";
import { RunRoom } from "../../../src/domain/actions/run-room.ts";
import { DomainError } from "../../../src/domain/base/errors.ts";

const CASES: readonly [string, (room: RunRoom, amount: number) => void, number][] = [
  ["16 Mi characters", (room, it) => room.takeCharacters(it), 2 ** 24],
  ["1 MiB of descriptor sets", (room, it) => room.takeDescriptorBytes(it), 2 ** 20],
];

test.each(CASES)("the runs of an annotation have room for %s, and no more", (_what, take, most) => {
  const room = new RunRoom(0);
  take(room, most - 1);
  expect(() => take(room, 2)).toThrow(DomainError);
  take(room, 1);
  expect(() => take(room, 1)).toThrow(DomainError);
});

test("a request has 2 Mi characters at most", () => {
  const room = new RunRoom(0);
  room.takeBody("x".repeat(2 ** 21));
  expect(() => room.takeBody("x".repeat(2 ** 21 + 1))).toThrow(DomainError);
});

test("a project has room for 2 GiB, and what is over it leaves none", () => {
  const room = new RunRoom(2 ** 31 - 10);
  room.takeCharacters(10);
  expect(() => room.takeCharacters(1)).toThrow(DomainError);
  for (const stored of [2 ** 31, 2 ** 31 + 5]) {
    expect(() => new RunRoom(stored).takeBody("x")).toThrow(DomainError);
  }
});
