import { create, type DescField, type DescMethod } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import {
  CreateVideoRequestSchema,
  UpdateVideoRequestSchema,
  VideoService,
} from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { findWriteFields } from "../../src/api/steps/request-fields.ts";
import { METHODS } from "../conventions/descriptors.ts";

const { createVideo, updateVideo, getVideo } = VideoService.method;

/** The method with other fields in its request. */
function withFields(method: DescMethod, change: (fields: DescField[]) => DescField[]): DescMethod {
  const fields = change([...method.input.fields]);
  return { ...method, input: { ...method.input, fields } } as DescMethod;
}

const without = (method: DescMethod, name: string) =>
  withFields(method, (fields) => fields.filter((field) => field.name !== name));

/** A field that has become a string list. */
const changed = (method: DescMethod, name: string) =>
  withFields(method, (fields) =>
    fields.map((it) => (it.name === name ? ({ ...it, scalar: 5 } as DescField) : it)),
  );

describe("a write that lacks a field of all writes does not start, and is named", () => {
  const cases: readonly (readonly [DescMethod, string])[] = [
    [createVideo, "validate_only"],
    [updateVideo, "validate_only"],
    [createVideo, "request_id"],
  ];
  for (const [method, name] of cases) {
    test(`${method.name} without ${name}, or of another type`, () => {
      for (const broken of [without(method, name), changed(method, name)]) {
        expect(() => findWriteFields(broken)).toThrow(
          new RegExp(`VideoService/${method.name} .*'${name}'`),
        );
      }
    });
  }
});

test("the fields are read from a request", () => {
  const reader = findWriteFields(createVideo);
  const sent = { validateOnly: true, requestId: "once", videoId: "v" };
  expect(reader?.read(create(CreateVideoRequestSchema, sent))).toEqual({
    ...{ validateOnly: true, requestId: "once", updatedFields: [] },
  });
  const update = { videoId: "v", updateMask: { paths: ["name", "labels"] } };
  expect(findWriteFields(updateVideo)?.read(create(UpdateVideoRequestSchema, update))).toEqual({
    ...{ validateOnly: false, requestId: "", updatedFields: ["name", "labels"] },
  });
});

test("the payload is the request without what does not say what is written", () => {
  const sent = create(CreateVideoRequestSchema, {
    ...{ validateOnly: true, requestId: "once", videoId: "v" },
  });
  const got = findWriteFields(createVideo)?.toPayload(sent);
  expect(got).toEqual(create(CreateVideoRequestSchema, { videoId: "v" }));
  expect(sent).toMatchObject({ validateOnly: true, requestId: "once" });
});

test("reads and delivery have none", () => {
  expect(findWriteFields(getVideo)).toBeUndefined();
  expect(findWriteFields(EventService.method.listEvents)).toBeUndefined();
});

test("every mask of a write is found", () => {
  const masked = METHODS.filter(({ input }) => input.field.updateMask !== undefined);
  expect(masked.length).toBeGreaterThan(10);
  for (const method of masked) {
    const { updateMask } = method.input.field;
    if (updateMask?.fieldKind !== "message") throw new Error("a mask is a message");
    const mask = create(updateMask.message, { paths: ["x"] } as never);
    const message = create(method.input, { updateMask: mask } as never);
    expect(findWriteFields(method)?.read(message).updatedFields, method.name).toEqual(["x"]);
  }
});
