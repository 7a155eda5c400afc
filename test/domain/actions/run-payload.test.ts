import { expect, test } from "vitest";
import { readTraceContext } from "../../../src/domain/actions/run-payload.ts";

const ID = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test.each([
  ["no header", {}, undefined],
  ["a parent", { traceparent: ID }, { traceparent: ID }],
  [
    "a parent with a state",
    { traceparent: ID, tracestate: "a=1" },
    { traceparent: ID, tracestate: "a=1" },
  ],
  ["a state alone", { tracestate: "a=1" }, undefined],
  [
    "a state of more than 512 characters",
    { traceparent: ID, tracestate: `a=${"x".repeat(511)}` },
    { traceparent: ID },
  ],
  ["no trace", { traceparent: `00-${"0".repeat(32)}-b7ad6b7169203331-01` }, undefined],
  [
    "no span",
    { traceparent: `00-0af7651916cd43dd8448eb211c80319c-${"0".repeat(16)}-01` },
    undefined,
  ],
  ["an invalid version", { traceparent: ID.replace(/^00/, "ff") }, undefined],
  ["text", { traceparent: "x" }, undefined],
] as const)("the trace of a request with %s", (_name, headers, want) => {
  expect(readTraceContext(new Headers(headers))).toEqual(want);
});
