import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { NodeResponse } from "../../../src/http/server/exchange.ts";
import { createRequestLoad } from "../../../src/http/server/request-load.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const request = (path = "/x") => ({
  path,
  response: new EventEmitter() as unknown as NodeResponse,
});

test("requests that arrive together begin in one turn of the event loop for 20 ms", async () => {
  let now = 0;
  const load = createRequestLoad(10, () => now);
  const begun: number[] = [];
  const enter = (number: number) => {
    const turn = load.enter(request());
    if (turn === undefined) begun.push(number);
    else turn.then(() => begun.push(number));
  };
  enter(1);
  now = 19;
  enter(2);
  now = 20;
  for (const number of [3, 4, 5]) enter(number);
  expect(begun).toEqual([1, 2]);
  await nextTurn();
  expect(begun).toEqual([1, 2, 3]);
  // Later ones do not overtake.
  enter(6);
  for (const want of [4, 5, 6]) {
    await nextTurn();
    expect(begun.at(-1)).toBe(want);
  }
  await nextTurn();
  enter(7);
  expect(begun.at(-1)).toBe(7);
});

test("requests that wait for their turn count as in progress", async () => {
  let now = 0;
  const load = createRequestLoad(3, () => now);
  const first = request();
  load.enter(first);
  now = 20;
  const turns = [load.enter(request()), load.enter(request())];
  expect(() => load.enter(request())).toThrow("too many requests in progress");
  expect(load.enter(request("/grpc.health.v1.Health/Check"))).toBeUndefined();
  first.response.emit("close");
  turns.push(load.enter(request()));
  await Promise.all(turns);
});
