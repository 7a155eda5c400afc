import { expect, test } from "vitest";
import { RequestLoad } from "../../../src/http/listener/request-load.ts";

test("so many requests are in progress, and one more is rejected until one has its response", () => {
  const load = new RequestLoad(2);
  const [first, second, third] = [{ path: "/x" }, { path: "/x" }, { path: "/x" }];
  load.enter(first);
  load.enter(second);
  expect(() => load.enter(third)).toThrow("too many requests in progress");
  load.enter({ path: "/grpc.health.v1.Health/Check" });
  expect(load.inProgress).toBe(2);
  load.leave(first);
  load.enter(third);
  expect(() => load.enter(first)).toThrow("too many requests in progress");
});
