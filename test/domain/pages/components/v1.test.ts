import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { BannerCollectionGradient } from "../../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Visibility } from "../../../../gen/svc/type/v1/visibility_pb.ts";
import { toPageComponentV1 } from "../../../../src/domain/pages/components/v1.ts";
import { createComponent, MEMBERS } from "./members.ts";

const STRUCTS = [
  "promotional_content",
  "sponsorship_collection",
  "standings",
  "faq",
  "footer",
  "text",
  "image",
  "html",
];

describe("the shape of the first version", () => {
  test.each(Object.keys(MEMBERS))("of %s holds its object as data", (name) => {
    const v1 = toPageComponentV1(createComponent(name));
    expect(v1.type).toBe(name);
    expect(v1.props).toEqual({});
    if (STRUCTS.includes(name)) expect(v1.data).toEqual(MEMBERS[name]);
    else if (name.endsWith("_player")) expect(v1.data).toMatchObject({ query: {} });
    else expect(v1.data).toMatchObject(MEMBERS[name] ?? {});
  });

  test("takes the other fields over", () => {
    const common = {
      name: "N",
      environments: ["web", "ios"],
      visibility: Visibility.UNLISTED,
      groupId: "g",
      cssClasses: ["x"],
    };
    const v1 = toPageComponentV1(createComponent("text", { a: 1 }, common));
    expect(v1).toMatchObject({ ...common, id: "c", projectId: "p", type: "text", data: { a: 1 } });
  });

  test("has contract names, zero values and enumerations by name", () => {
    const value = {
      id: "b",
      gradients: [BannerCollectionGradient.TOP, BannerCollectionGradient.UNSPECIFIED],
    };
    expect(toPageComponentV1(createComponent("banner_collection", value)).data).toEqual({
      id: "b",
      gradients: ["BANNER_COLLECTION_GRADIENT_TOP", "BANNER_COLLECTION_GRADIENT_UNSPECIFIED"],
      height_fraction: 0,
      rotation_interval_seconds: 0,
    });
  });

  test("leaves unset objects and unset members of a oneof out", () => {
    expect(toPageComponentV1(createComponent("calendar", {})).data).toEqual({ filter: "" });
    expect(toPageComponentV1(createComponent("content_grid", {})).data).toEqual({});
    const reference = { source: { case: "reference", value: { pageId: "x" } } };
    expect(toPageComponentV1(createComponent("content_grid", reference)).data).toEqual({
      reference: { pageId: "x" },
    });
  });

  test("keeps the legacy type", () => {
    const component = createComponent("rail", { limit: 3 }, { type: "content_carousel" });
    const v1 = toPageComponentV1(component);
    expect(v1.type).toBe("content_carousel");
    expect(v1.data).toMatchObject({ limit: 3, type: "BASE_TYPE_UNSPECIFIED" });
  });

  test("has an empty object for a component without a member", () => {
    expect(toPageComponentV1(create(PageComponentSchema, { id: "c" })).data).toEqual({});
  });
});
