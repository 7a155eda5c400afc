import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { NodeResponse } from "../../../src/http/listener/exchange.ts";
import { RequestLoad } from "../../../src/http/listener/request-load.ts";

const request = (path = "/x") => ({
  path,
  response: new EventEmitter() as unknown as NodeResponse,
});

test("so many requests are in progress, and one more is rejected until one is closed", () => {
  const load = new RequestLoad(2);
  const first = request();
  load.enter(first);
  load.enter(request());
  expect(() => load.enter(request())).toThrow("too many requests in progress");
  load.enter(request("/grpc.health.v1.Health/Check"));
  expect(load.inProgress).toBe(2);
  first.response.emit("close");
  load.enter(request());
  expect(() => load.enter(request())).toThrow("too many requests in progress");
});
