import { create, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Visibility } from "../../../../gen/svc/type/v1/visibility_pb.ts";
import { toPageComponentV1 } from "../../../../src/api/studio/page-component-v1.ts";
import { createComponent, MEMBERS, readComponent } from "./members.ts";

const STRUCTS = "promotional_content sponsorship_collection standings faq footer text image html";

describe("the shape of the first version", () => {
  test.each(Object.keys(MEMBERS))("of %s holds its object as data", (name) => {
    const v1 = toPageComponentV1(createComponent(name));
    expect([v1.type, v1.props]).toEqual([name, {}]);
    if (STRUCTS.split(" ").includes(name)) expect(v1.data).toEqual(MEMBERS[name]);
    else if (name.endsWith("_player")) expect(v1.data).toMatchObject({ query: {} });
    else expect(v1.data).toMatchObject(MEMBERS[name] ?? {});
  });

  test("takes the other fields over", () => {
    const common = {
      ...{ name: "N", environments: ["web", "ios"], groupId: "g", cssClasses: ["x"] },
      visibility: Visibility.UNLISTED,
    };
    const v1 = toPageComponentV1(createComponent("text", { a: 1 }, common));
    expect(v1).toMatchObject({ ...common, id: "c", projectId: "p", type: "text", data: { a: 1 } });
  });

  const GRADIENTS = ["TOP", "UNSPECIFIED"].map((it) => `BANNER_COLLECTION_GRADIENT_${it}`);

  test.each<[string, JsonObject, JsonObject]>([
    [
      "contract names, zero values and enumerations by name",
      { banner_collection: { id: "b", gradients: GRADIENTS } },
      { id: "b", gradients: GRADIENTS, height_fraction: 0, rotation_interval_seconds: 0 },
    ],
    ["no unset object", { calendar: {} }, { filter: "" }],
    ["no unset member of a oneof", { content_grid: {} }, {}],
    [
      "a set member of a oneof",
      { content_grid: { reference: { pageId: "x" } } },
      { reference: { pageId: "x" } },
    ],
  ])("has %s", (_what, component, want) => {
    expect(toPageComponentV1(readComponent(component)).data).toEqual(want);
  });

  test("keeps the legacy type", () => {
    const type = "content_carousel";
    expect(toPageComponentV1(createComponent("rail", { limit: 3 }, { type }))).toMatchObject({
      ...{ type, data: { limit: 3, type: "BASE_TYPE_UNSPECIFIED" } },
    });
  });

  test("has an empty object for a component without a member", () => {
    expect(toPageComponentV1(create(PageComponentSchema, { id: "c" })).data).toEqual({});
  });
});
