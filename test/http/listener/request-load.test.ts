import { expect, test } from "vitest";
import { HTTP_LIMITS } from "../../../src/http/listener/limits.ts";
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
      load.admit(request, organizationId, 0);
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
  load.admit({ path: "/x" }, "a", 0);
});

test("the bodies of requests in progress have so many bytes, and those of an organization three quarters of them", () => {
  const { bodies, uncountedBody } = HTTP_LIMITS;
  const load = new RequestLoad(1_000);
  const begin = (organizationId: string, counted: number) => {
    const request = { path: "/x" };
    load.enter(request);
    try {
      load.admit(request, organizationId, uncountedBody + counted);
    } catch (error) {
      load.leave(request);
      throw error;
    }
    return request;
  };
  const half = bodies / 2;
  const first = begin("a", half);
  begin("a", bodies / 4);
  expect(() => begin("a", 1)).toThrow("too many requests in progress");
  begin("a", 0);
  begin("b", bodies / 4);
  expect(() => begin("b", 1)).toThrow("too many requests in progress");
  begin("b", 0);
  load.leave(first);
  begin("b", half);
  expect(() => begin("b", 1)).toThrow("too many requests in progress");
});
