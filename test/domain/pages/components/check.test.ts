import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { checkPageComponent } from "../../../../src/domain/pages/components/check.ts";
import { checkSingleMember } from "../../../../src/domain/pages/components/data-member.ts";
import { ENVIRONMENTS } from "../../../../src/domain/pages/components/environment.ts";
import {
  applyMask,
  checkMask,
  listUpdatable,
} from "../../../../src/domain/validation/field-mask.ts";
import { openCases } from "../../../harness/cases.ts";
import { rejection } from "../../../harness/rejection.ts";
import { createComponent, MEMBERS, readComponent } from "./members.ts";

const each = openCases("pages/components/check");

const UPDATE = "page_component_update";
const check = (component: JsonObject) => () => checkPageComponent(readComponent(component), UPDATE);

test.each(Object.keys(MEMBERS))("the least %s is allowed", (member) => {
  expect(() => checkPageComponent(createComponent(member), UPDATE)).not.toThrow();
});

test("all environments are allowed", () => {
  expect(check({ text: {}, environments: [...ENVIRONMENTS] })).not.toThrow();
});

each<[JsonObject]>("a component is allowed", (component) => {
  expect(check(component)).not.toThrow();
});

each<[JsonObject, string, string]>("a component is rejected", (component, reason, field) => {
  expect(check(component)).toThrow(rejection(reason, `${UPDATE}.${field}`));
});

each<[JsonObject, string, string]>("a broken text is rejected", (component, reason, field) => {
  expect(check(component)).toThrow(
    rejection(reason, undefined, {
      metadata: expect.objectContaining({
        field: `${UPDATE}.${field}`,
        column: expect.stringMatching(/^\d+$/),
      }),
    }),
  );
});

describe("an update of a component", () => {
  const STORED = createComponent("text", undefined, { name: "Old", groupId: "" });
  const update = (names: string[], sent: object) => {
    const mask = checkMask(names, listUpdatable(PageComponentSchema));
    checkSingleMember(mask);
    const changed = create(PageComponentSchema, sent as never);
    const updated = applyMask(PageComponentSchema, STORED, changed, mask);
    checkPageComponent(updated, UPDATE);
    return updated;
  };
  const RAIL = { type: "rail", data: { case: "rail", value: { limit: 3 } } };

  test("changes what the mask names and nothing else", () => {
    const got = update(["name", "css_classes"], { name: "New", type: "rail", cssClasses: ["x"] });
    expect(got).toEqual({ ...STORED, name: "New", cssClasses: ["x"] });
  });

  test("switches the data member together with the type, which may be a legacy one", () => {
    for (const type of ["rail", "content_carousel"]) {
      const got = toJson(PageComponentSchema, update(["rail", "type"], { ...RAIL, type }));
      expect(got).toMatchObject({ type, rail: { limit: 3 } });
    }
  });

  test.each<[string[], object, string]>([
    [["rail"], RAIL, "TYPE_MISMATCH"],
    [["type"], RAIL, "TYPE_MISMATCH"],
    [["type"], {}, "TYPE_MISMATCH"],
    [["text"], {}, "DATA_MEMBER_REQUIRED"],
    [["text", "type"], RAIL, "DATA_MEMBER_REQUIRED"],
    [["environments"], { environments: ["tv"] }, "ENVIRONMENT_UNKNOWN"],
    [["rail", "text"], {}, "ONEOF_CONFLICT"],
    [[], {}, "UPDATE_MASK_INVALID"],
    [["id"], {}, "UPDATE_MASK_INVALID"],
    [["project_id"], {}, "UPDATE_MASK_INVALID"],
    [["data"], {}, "UPDATE_MASK_INVALID"],
    [["rail.limit"], {}, "UPDATE_MASK_INVALID"],
    [["*"], {}, "UPDATE_MASK_INVALID"],
  ])("of %j by %j is rejected: %s", (mask, sent, reason) => {
    expect(() => update(mask, sent)).toThrow(rejection(reason));
  });
});
