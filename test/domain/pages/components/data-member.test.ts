import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import {
  checkSingleMember,
  DATA_MEMBERS,
  getDataMember,
  requireDataMember,
} from "../../../../src/domain/pages/components/data-member.ts";
import { refusal } from "../../../harness/refusal.ts";
import { createComponent, MEMBERS } from "./members.ts";

describe("the data members", () => {
  test("are the nineteen of the contract, in its order", () => {
    expect(DATA_MEMBERS).toEqual(Object.keys(MEMBERS));
  });

  for (const name of Object.keys(MEMBERS)) {
    test(`${name} is found by its name, with its type`, () => {
      const component = createComponent(name);
      expect(getDataMember(component)?.name).toBe(name);
      expect(requireDataMember(component, "page_component_update").name).toBe(name);
    });

    test(`${name} is refused with any other type`, () => {
      for (const type of ["", "nothing", name.toUpperCase(), ...Object.keys(MEMBERS)]) {
        if (type === name) continue;
        const component = createComponent(name, undefined, { type });
        expect(() => requireDataMember(component, "page_component_update")).toThrow(
          refusal("TYPE_MISMATCH", "page_component_update.type", {
            message: expect.stringContaining(`must be '${name}'`),
          }),
        );
      }
    });
  }

  test("content_carousel is a type of rail only", () => {
    const type = "content_carousel";
    expect(
      requireDataMember(createComponent("rail", {}, { type }), "page_component_update").name,
    ).toBe("rail");
    for (const name of Object.keys(MEMBERS).filter((it) => it !== "rail")) {
      expect(() =>
        requireDataMember(createComponent(name, undefined, { type }), "page_component_update"),
      ).toThrow(refusal("TYPE_MISMATCH"));
    }
  });

  test("none is refused", () => {
    const component = create(PageComponentSchema, { type: "text" });
    expect(getDataMember(component)).toBeUndefined();
    expect(() => requireDataMember(component, "page_component_update")).toThrow(
      refusal("DATA_MEMBER_REQUIRED", undefined, {
        fields: [expect.objectContaining({ field: "page_component_update" })],
      }),
    );
  });
});

describe("a mask names one data member at most", () => {
  for (const mask of [[], ["name"], ["rail"], ["rail", "type", "name"]]) {
    test(`[${mask}] is allowed`, () => expect(() => checkSingleMember(mask)).not.toThrow());
  }
  for (const mask of [["rail", "text"], ["name", "filter", "type", "html"], [...DATA_MEMBERS]]) {
    test(`[${mask}] is refused`, () => {
      expect(() => checkSingleMember(mask)).toThrow(refusal("ONEOF_CONFLICT", "update_mask"));
    });
  }
});
