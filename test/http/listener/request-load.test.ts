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

test("an organization has three quarters of the requests in progress, whatever it sends", () => {
  const load = new RequestLoad(4);
  const begin = (organizationId: string) => {
    const request = { path: "/x" };
    load.enter(request);
    try {
      load.admit(request, organizationId);
    } catch (error) {
      load.leave(request);
      throw error;
    }
    return request;
  };
  const [first] = [begin("a"), begin("a"), begin("a")];
  expect(() => begin("a")).toThrow("too many requests in progress");
  const other = begin("b");
  expect(load.leave(other)).toBe(true);
  expect(load.leave(other)).toBe(false);
  load.leave(first);
  begin("a");
  expect(() => begin("a")).toThrow("too many requests in progress");
  // What is not in progress, such as the look of a read that waits, is not limited.
  load.admit({ path: "/x" }, "a");
});
