import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import {
  checkSingleMember,
  DATA_MEMBERS,
  getDataMember,
  requireDataMember,
} from "../../../../src/domain/pages/components/data-member.ts";
import { rejection } from "../../../harness/rejection.ts";
import { createComponent, MEMBERS } from "./members.ts";

const NAMES = Object.keys(MEMBERS);
const requireName = (component: PageComponent) => requireDataMember(component, "update").name;

describe("the data members", () => {
  test("are the nineteen of the contract, in its order", () => {
    expect(DATA_MEMBERS).toEqual(NAMES);
  });

  test.each(NAMES)("%s is found by its name, and rejected with any other type", (name) => {
    const component = createComponent(name);
    expect([getDataMember(component)?.name, requireName(component)]).toEqual([name, name]);
    const message = expect.stringContaining(`must be '${name}'`);
    for (const type of ["", "nothing", name.toUpperCase(), ...NAMES]) {
      if (type === name) continue;
      expect(() => requireName(createComponent(name, undefined, { type }))).toThrow(
        rejection("TYPE_MISMATCH", "update.type", { message }),
      );
    }
  });

  test("content_carousel is a type of rail only", () => {
    const create = (name: string) => createComponent(name, undefined, { type: "content_carousel" });
    expect(requireName(create("rail"))).toBe("rail");
    for (const name of NAMES.filter((it) => it !== "rail")) {
      expect(() => requireName(create(name))).toThrow(rejection("TYPE_MISMATCH"));
    }
  });

  test("none is rejected", () => {
    const component = create(PageComponentSchema, { type: "text" });
    expect(getDataMember(component)).toBeUndefined();
    const fields = [expect.objectContaining({ field: "update" })];
    expect(() => requireName(component)).toThrow(
      rejection("DATA_MEMBER_REQUIRED", undefined, { fields }),
    );
  });
});

test("a mask names one data member at most", () => {
  for (const mask of [[], ["name"], ["rail"], ["rail", "type", "name"]]) checkSingleMember(mask);
  for (const mask of [["rail", "text"], ["name", "filter", "type", "html"], [...DATA_MEMBERS]]) {
    expect(() => checkSingleMember(mask)).toThrow(rejection("ONEOF_CONFLICT", "update_mask"));
  }
});
