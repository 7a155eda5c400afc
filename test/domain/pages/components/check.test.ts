import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { BannerCollectionV2SizeStrategy as Strategy } from "../../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { BaseType } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { Code } from "../../../../src/domain/errors.ts";
import {
  checkPageComponent,
  checkPageComponentMask,
  ENVIRONMENTS,
  updatePageComponent,
} from "../../../../src/domain/pages/components/check.ts";
import { openCases } from "../../../harness/cases.ts";
import { createComponent, MEMBERS } from "./members.ts";

const each = openCases("pages/components/check");

const check =
  (member: string, value?: object, init: object = {}) =>
  () =>
    checkPageComponent(createComponent(member, value, init), "page_component_update");
const banner = (value: object) => check("banner_collection", value);
const bannerV2 = (value: object) => check("banner_collection_v2", value);
const rail = (value: object) => check("rail", value);

describe("a component by itself is allowed", () => {
  test.each(Object.keys(MEMBERS))("with the least %s", (member) => {
    expect(check(member)).not.toThrow();
  });

  const relative = { sizeStrategy: Strategy.RELATIVE_HEIGHT };

  test.each<readonly [string, () => void]>([
    ["all environments", check("text", {}, { environments: [...ENVIRONMENTS] })],
    ["no environments", check("text", {}, { environments: [] })],
    ...[0, 0.001, 0.5, 1].map(
      (heightFraction) => [`banner height ${heightFraction}`, banner({ heightFraction })] as const,
    ),
    ["banner rotation 0", banner({ rotationIntervalSeconds: 0 })],
    ["the longest banner rotation", banner({ rotationIntervalSeconds: 2_147_483_647 })],
    ...[Number.MIN_VALUE, 0.5, 1].map(
      (heightFraction) =>
        [`relative height ${heightFraction}`, bannerV2({ ...relative, heightFraction })] as const,
    ),
    ...[Strategy.UNSPECIFIED, Strategy.IMAGE_HEIGHT, Strategy.CONTENT_HEIGHT].map(
      (sizeStrategy) =>
        [`no height with strategy ${sizeStrategy}`, bannerV2({ sizeStrategy })] as const,
    ),
    ["banner transition 0", bannerV2({ transitionIntervalSeconds: 0 })],
    ["a limit", rail({ limit: 2_147_483_647 })],
    ["an order of events", rail({ type: BaseType.EVENT, order: "start_time desc" })],
    ["an order of works", rail({ type: BaseType.CREATIVE_WORK, order: "release_time asc" })],
    ["an order of entities", rail({ type: BaseType.ENTITY, order: "title.en asc" })],
    ["an order of what is not decided", rail({ order: "release_time asc" })],
    [
      "a filter, clauses and a search",
      rail({ filter: "a: {id}", additionalFilters: { k: "b: {k}" }, search: "{q}" }),
    ],
  ])("with %s", (_name, run) => {
    expect(run).not.toThrow();
  });
});

describe("a component by itself is refused", () => {
  const relative = { sizeStrategy: Strategy.RELATIVE_HEIGHT };
  const BANNER = "page_component_update.banner_collection";
  const BANNER_V2 = "page_component_update.banner_collection_v2";
  const RAIL = "page_component_update.rail";

  test.each<readonly [string, () => void, string, string]>([
    ...["Web", "", "web ", "tv", "androidTV", "constructor"].map(
      (name) =>
        [
          `environment ${JSON.stringify(name)}`,
          check("text", {}, { environments: ["web", name] }),
          "ENVIRONMENT_UNKNOWN",
          "page_component_update.environments",
        ] as const,
    ),
    ...[-0.001, 1.001, -1, 2, Number.NaN, Infinity, -Infinity].map(
      (heightFraction) =>
        [
          `banner height ${heightFraction}`,
          banner({ heightFraction }),
          "HEIGHT_FRACTION_INVALID",
          `${BANNER}.height_fraction`,
        ] as const,
    ),
    ...[0, -0, -0.5, 1.001, Number.NaN, Infinity].map(
      (heightFraction) =>
        [
          `relative height ${heightFraction}`,
          bannerV2({ ...relative, heightFraction }),
          "HEIGHT_FRACTION_INVALID",
          `${BANNER_V2}.height_fraction`,
        ] as const,
    ),
    ...[Strategy.UNSPECIFIED, Strategy.IMAGE_HEIGHT, Strategy.CONTENT_HEIGHT].map(
      (sizeStrategy) =>
        [
          `a height with strategy ${sizeStrategy}`,
          bannerV2({ sizeStrategy, heightFraction: 0.5 }),
          "HEIGHT_FRACTION_INVALID",
          `${BANNER_V2}.height_fraction`,
        ] as const,
    ),
    [
      "a NaN height without the strategy",
      bannerV2({ heightFraction: Number.NaN }),
      "HEIGHT_FRACTION_INVALID",
      `${BANNER_V2}.height_fraction`,
    ],
    [
      "a negative rotation",
      banner({ rotationIntervalSeconds: -1 }),
      "VALUE_OUT_OF_RANGE",
      `${BANNER}.rotation_interval_seconds`,
    ],
    [
      "a negative transition",
      bannerV2({ transitionIntervalSeconds: -1 }),
      "VALUE_OUT_OF_RANGE",
      `${BANNER_V2}.transition_interval_seconds`,
    ],
    ["a negative limit", rail({ limit: -1 }), "VALUE_OUT_OF_RANGE", `${RAIL}.limit`],
    [
      "an order of another kind",
      rail({ type: BaseType.EVENT, order: "release_time asc" }),
      "ORDER_INVALID",
      `${RAIL}.order`,
    ],
    [
      "a player without an id",
      check("player_profile", { fallbackImageUrl: "x" }),
      "FIELD_REQUIRED",
      "page_component_update.player_profile.id",
    ],
  ])("with %s", (_name, run, reason, field) => {
    expect(run).toThrow(
      expect.objectContaining({ code: Code.INVALID_ARGUMENT, reason, metadata: { field } }),
    );
  });

  each<[string, object, string, string]>(
    "a component with a broken text is refused",
    (member, value, field, reason) => {
      expect(check(member, value)).toThrow(
        expect.objectContaining({
          reason,
          metadata: expect.objectContaining({
            field: `page_component_update.${member}.${field}`,
            column: expect.stringMatching(/^\d+$/),
          }),
        }),
      );
    },
  );
});

describe("updates", () => {
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
});
