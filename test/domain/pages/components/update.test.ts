import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import {
  checkPageComponentMask,
  updatePageComponent,
} from "../../../../src/domain/pages/components/check.ts";
import { createComponent } from "./members.ts";

const STORED = createComponent("text", undefined, { name: "Old", groupId: "" });
const update = (mask: string[], sent: object) =>
  updatePageComponent(
    STORED,
    create(PageComponentSchema, sent as never),
    checkPageComponentMask(mask),
  );
const refusal = (reason: string) => expect.objectContaining({ reason });

describe("an update of a component", () => {
  test("changes what the mask names and nothing else", () => {
    const got = update(["name", "css_classes"], { name: "New", type: "rail", cssClasses: ["x"] });
    expect(got).toEqual({ ...STORED, name: "New", cssClasses: ["x"] });
  });

  test("switches the data member together with the type", () => {
    const rail = { type: "rail", data: { case: "rail", value: { limit: 3 } } };
    const got = update(["rail", "type"], rail);
    expect([got.type, got.data.case]).toEqual(["rail", "rail"]);
    expect(() => update(["rail"], rail)).toThrow(refusal("TYPE_MISMATCH"));
    expect(() => update(["type"], rail)).toThrow(refusal("TYPE_MISMATCH"));
  });

  test("keeps the legacy type of a rail", () => {
    const rail = { type: "content_carousel", data: { case: "rail", value: {} } };
    expect(update(["rail", "type"], rail).type).toBe("content_carousel");
  });

  test("cannot clear the data member", () => {
    expect(() => update(["text"], {})).toThrow(refusal("DATA_MEMBER_REQUIRED"));
    const rail = { type: "rail", data: { case: "rail", value: {} } };
    expect(() => update(["text", "type"], rail)).toThrow(refusal("DATA_MEMBER_REQUIRED"));
  });

  test("cannot clear the type", () => {
    expect(() => update(["type"], {})).toThrow(refusal("TYPE_MISMATCH"));
  });

  test("checks what it leaves", () => {
    expect(() => update(["environments"], { environments: ["tv"] })).toThrow(
      refusal("ENVIRONMENT_UNKNOWN"),
    );
  });

  for (const mask of [[], ["id"], ["project_id"], ["data"], ["rail.limit"], ["*"]]) {
    test(`takes no mask [${mask}]`, () => {
      expect(() => checkPageComponentMask(mask)).toThrow(refusal("UPDATE_MASK_INVALID"));
    });
  }

  test("takes no mask with two members", () => {
    expect(() => checkPageComponentMask(["rail", "text"])).toThrow(refusal("ONEOF_CONFLICT"));
  });
});
