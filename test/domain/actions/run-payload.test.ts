import { create } from "@bufbuild/protobuf";
import { expect, test, vi } from "vitest";
import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationService } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import {
  createPayload,
  readTraceContext,
  toRequestJson,
} from "../../../src/domain/actions/run-payload.ts";
import { RunRoom } from "../../../src/domain/actions/run-room.ts";
import { toDescriptorSet } from "./descriptor-set.ts";

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

test("Connect calls take the room of their descriptor sets, and of their requests", () => {
  const descriptorSet = toDescriptorSet(AnnotationService.file);
  const method = `${AnnotationService.typeName}/CreateAnnotation`;
  const request = { annotation: { id: "{annotation.id}" } };
  const kind = { case: "connectCall", value: { method, descriptorSet, request } } as const;
  const action = create(ActionSchema, { kind });
  const annotation = toRequestJson(create(AnnotationSchema, { id: "goal" }));
  const room = new RunRoom(0);
  const takeCharacters = vi.spyOn(room, "takeCharacters");
  const createNext = () => createPayload(action, annotation, {}, { now: new Date(0), room });
  for (let most = Math.floor(2 ** 20 / descriptorSet.length); most > 0; most -= 1) createNext();
  const sizes = ['"goal"', '{"annotation":{"id":"goal"}}'].map(({ length }) => [length]);
  expect(takeCharacters.mock.calls.slice(-2)).toEqual(sizes);
  expect(createNext).toThrow(`${2 ** 20} bytes of descriptor sets`);
});
