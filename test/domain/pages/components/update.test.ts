import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import {
  checkPageComponentMask,
  updatePageComponent,
} from "../../../../src/domain/pages/components/update.ts";
import { createComponent } from "./members.ts";

const STORED = createComponent("text", undefined, { name: "Old", groupId: "" });
const PAGE = [
  { id: "a", groupId: "g", isFilter: false },
  { id: "b", groupId: "g", isFilter: false },
  { id: "c", groupId: "", isFilter: false },
  { id: "f", groupId: "", isFilter: true },
];
const update = (mask: string[], sent: object, page = PAGE) =>
  updatePageComponent(
    STORED,
    create(PageComponentSchema, sent as never),
    checkPageComponentMask(mask),
    page,
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

  test("checks what it leaves, on its page", () => {
    expect(update(["group_id"], { groupId: "g" }).groupId).toBe("g");
    const apart = PAGE.toSpliced(2, 0, { id: "x", groupId: "", isFilter: false });
    expect(() => update(["group_id"], { groupId: "g" }, apart)).toThrow(
      refusal("GROUP_NOT_ADJACENT"),
    );
    const filter = { type: "filter", data: { case: "filter", value: {} } };
    expect(() => update(["filter", "type"], filter)).toThrow(refusal("PAGE_FILTER_LIMIT"));
    expect(update(["filter", "type"], filter, PAGE.slice(0, 3)).type).toBe("filter");
  });

  test("checks the component itself first", () => {
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
