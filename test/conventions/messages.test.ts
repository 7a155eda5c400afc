import { readFileSync } from "node:fs";
import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { MoneySchema } from "../../gen/google/type/money_pb.ts";
import { ENUMS, MESSAGES } from "./descriptors.ts";

const byName = new Map<string, DescMessage>(
  [...MESSAGES, MoneySchema].map((message) => [message.typeName, message]),
);

/** Every field that the contract fixes: message, field, type. */
const FIXED_FIELDS = readFileSync(new URL("contract-fields.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split("\t"));

describe("every field that the contract fixes is there, with its type", () => {
  for (const typeName of new Set(FIXED_FIELDS.map(([name = ""]) => name))) {
    test(typeName, () => {
      const message = byName.get(typeName);
      const want = FIXED_FIELDS.filter(([name]) => name === typeName).map(([, name, type]) => [
        name,
        type,
      ]);
      const got = want.map(([name]) => {
        const field = message?.fields.find((it) => it.name === name);
        return [name, field && printType(field)];
      });
      expect(got).toEqual(want);
    });
  }
});

describe("oneofs", () => {
  const V2 = "svc.studio.ott.page_component.v2";
  const RULESET = "svc.studio.streaming.ruleset.v2.VideoProtectionRuleset";
  const cases: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    [
      `${V2}.PageComponent`,
      [
        [
          "banner_collection",
          "banner_collection_v2",
          "calendar",
          "calendar_v2",
          "rail",
          "content_grid",
          "filter",
          "creative_work_player",
          "event_player",
          "offers",
          "player_profile",
          "promotional_content",
          "sponsorship_collection",
          "standings",
          "faq",
          "footer",
          "text",
          "image",
          "html",
        ],
      ],
    ],
    [`${V2}.ContentGrid`, [["reference", "inline"]]],
    [`${V2}.CreativeWorkPlayer`, [["id", "query"]]],
    [`${V2}.EventPlayer`, [["id", "query"]]],
    [
      RULESET,
      [
        ["geo_restrictions_disallow", "geo_restrictions_allow", "allow_all_geographies"],
        ["domains", "allow_all_domains"],
        ["geo_applicability_exempt", "geo_applicability_apply"],
        ["applies_to_all", "target", "filter"],
      ],
    ],
  ];
  for (const [typeName, want] of cases) {
    test(`of ${typeName} are those of the contract`, () => {
      const oneofs = byName.get(typeName)?.oneofs ?? [];
      expect(oneofs.map((it) => it.fields.map((field) => field.name))).toEqual(want);
    });
  }

  test("there are no others where the contract fixes none", () => {
    const shown = new Set(FIXED_FIELDS.map(([name]) => name));
    const more = MESSAGES.filter(
      (message) => shown.has(message.typeName) && message.oneofs.length > 0,
    ).map((message) => message.typeName);
    expect(more.sort()).toEqual(cases.map(([name]) => name).sort());
  });
});

test("a player's profile has exactly its six fields", () => {
  const message = byName.get("svc.studio.ott.page_component.v2.PlayerProfile");
  expect(message?.fields.map((field) => field.name)).toEqual([
    "id",
    "name",
    "image_url",
    "fallback_image_url",
    "gender",
    "jersey",
  ]);
});

describe("enumerations", () => {
  for (const type of ENUMS) {
    test(`${type.typeName} begins with its _UNSPECIFIED zero, all names with its own`, () => {
      const prefix = toScreamingSnake(type.name);
      const [first] = type.values;
      expect([first?.name, first?.number]).toEqual([`${prefix}_UNSPECIFIED`, 0]);
      for (const { name } of type.values) expect(name.startsWith(`${prefix}_`), name).toBe(true);
    });
  }

  const cases: readonly (readonly [string, string, string])[] = [
    ["Visibility", "VISIBILITY", "UNSPECIFIED PUBLISHED UNLISTED HIDDEN"],
    ["BaseType", "BASE_TYPE", "UNSPECIFIED EVENT CREATIVE_WORK ENTITY"],
    ["BorderRadius", "BORDER_RADIUS", "UNSPECIFIED NONE SMALL MEDIUM LARGE"],
    ["BannerCollectionGradient", "BANNER_COLLECTION_GRADIENT", "UNSPECIFIED TOP BOTTOM LEFT RIGHT"],
    [
      "BannerCollectionV2TransitionEffect",
      "BANNER_COLLECTION_V2_TRANSITION_EFFECT",
      "UNSPECIFIED FADE SLIDE",
    ],
    [
      "BannerCollectionV2SizeStrategy",
      "BANNER_COLLECTION_V2_SIZE_STRATEGY",
      "UNSPECIFIED IMAGE_HEIGHT CONTENT_HEIGHT RELATIVE_HEIGHT",
    ],
  ];
  for (const [name, prefix, values] of cases) {
    test(`${name} holds exactly what the contract fixes`, () => {
      const type: DescEnum | undefined = ENUMS.find((it) => it.name === name);
      expect(type?.values.map((it) => it.name)).toEqual(
        values.split(" ").map((value) => `${prefix}_${value}`),
      );
    });
  }
});

describe("names and types that hold everywhere", () => {
  for (const message of MESSAGES) {
    test(message.typeName, () => {
      for (const field of message.fields) {
        expect(field.name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
        const type = printType(field);
        if (field.name.endsWith("_time"))
          expect(type, field.name).toBe("google.protobuf.Timestamp");
        if (field.name.endsWith("_id")) expect(type, field.name).toBe("string");
        if (field.name.endsWith("_ids")) expect(type, field.name).toBe("string[]");
        if (field.name === "update_mask") expect(type).toBe(maskTypeOf(message));
        if (field.name.endsWith("_amount")) expect(type, field.name).toBe("google.type.Money");
        expect(type, `${field.name}: floats are double`).not.toContain("float");
      }
    });
  }
});

/** What was asked for is a mask; the record of it is a list, so that a filter finds one path. */
function maskTypeOf({ name }: DescMessage): string {
  return name.endsWith("Request") ? "google.protobuf.FieldMask" : "string[]";
}

function printType(field: DescField): string {
  switch (field.fieldKind) {
    case "map":
      return `map<${ScalarType[field.mapKey].toLowerCase()},${printItem(field)}>`;
    case "list":
      return `${printItem(field)}[]`;
    default: {
      const isOptional =
        field.oneof === undefined &&
        field.fieldKind !== "message" &&
        field.presence === FeatureSet_FieldPresence.EXPLICIT;
      return `${isOptional ? "optional " : ""}${printItem(field)}`;
    }
  }
}

function printItem(field: DescField): string {
  if (field.message) return field.message.typeName;
  if (field.enum) return field.enum.typeName;
  return ScalarType[field.scalar ?? ScalarType.BYTES].toLowerCase();
}

function toScreamingSnake(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
