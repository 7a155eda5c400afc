import { describe, expect, test } from "vitest";
import { readRecord } from "../../src/transfer/read-record.ts";

const read = (line: object, projectId?: string) => readRecord(JSON.stringify(line), 1, projectId);

const component = (more: object) => ({
  page_component: {
    page_id: "home",
    page_component: { id: "a", project_id: "p", type: "text", text: {}, ...more },
  },
});
const ruleset = (more: object) => ({ ruleset: { id: "a", project_id: "p", name: "R", ...more } });

describe("a record that the Studio API would not keep is rejected, with its field", () => {
  const errors: readonly (readonly [object, RegExp])[] = [
    [{ video: { id: "a", project_id: "p" } }, /^video\.name: is required/],
    [
      { video: { id: "a", project_id: "p", name: "A", playlist_url: "ftp://x" } },
      /^video\.playlist_url: /,
    ],
    [
      { event: { id: "a", project_id: "p", poster_image_url: "a.png" } },
      /^event\.poster_image_url: /,
    ],
    [
      { banner_collection: { id: "a", project_id: "p", name: "A", banners: [{ link: "a.png" }] } },
      /^banner_collection\.banners\[0\]\.link: /,
    ],
    [
      component({
        ...{ type: "event_player", text: undefined },
        event_player: { id: "a", background_image_url: "//evil.example/a.png" },
      }),
      /event_player\.background_image_url: /,
    ],
    [{ annotation: { id: "a", project_id: "p", offset: "-1s" } }, /^annotation\.offset: /],
    [component({ environments: ["fridge"] }), /^page_component\.page_component\.environments: /],
    [component({ type: "rail" }), /^page_component\.page_component\.type: /],
    [ruleset({ require_entitlement: true }), /^ruleset\.require_entitlement: /],
    [{ sign_in_integration: { project_id: "p" } }, /^sign_in_integration\.audiences: /],
    [
      {
        binding: {
          ...{ id: "a", organization_id: "o", account_id: "b", role_id: "owner" },
          resource_key: "x",
        },
      },
      /^binding\.resource_key: /,
    ],
    [
      { transaction: { transaction: { id: "a", project_id: "p", offer_id: "o", user_id: "u" } } },
      /^transaction\.transaction\.create_time: /,
    ],
    [{ transaction: { billing_transaction_id: "b" } }, /^transaction\.transaction: is required/],
    [{ page_component: { page_id: "home" } }, /^page_component\.page_component: is required/],
    [
      { page_component: { page_component: { id: "a", project_id: "p" } } },
      /^page_component\.page_id: is required/,
    ],
    [{ account: { id: "a" } }, /^account\.organization_id: is required$/],
    [{ page: { project_id: "p" } }, /^page\.id: is required/],
  ];
  for (const [line, want] of errors) {
    test(`${want}`, () => {
      expect(() => read(line)).toThrow(want);
    });
  }
});

test("false of a group's boolean counts as not sent, also beside another member", () => {
  const allow = { geo_restrictions_allow: { country_codes: ["de"] } };
  for (const fields of [
    { ...allow, allow_all_geographies: false },
    { allow_all_geographies: false, ...allow },
    { allowAllGeographies: false, applies_to_all: false, ...allow },
  ]) {
    expect(read(ruleset(fields)).message).toMatchObject({
      geoRestrictions: { case: "geoRestrictionsAllow", value: { countryCodes: ["DE"] } },
      applicability: { case: undefined },
    });
  }
  const both = ruleset({ ...allow, allow_all_geographies: true });
  expect(() => read(both)).toThrow(/geo_restrictions_allow and allow_all_geographies/);
});

describe("--project", () => {
  test("fills in for a missing one, also where it lies deeper", () => {
    const filled = read(component({ project_id: "" }), "q");
    expect(filled.message).toMatchObject({ id: "a", projectId: "q" });
    expect(read({ sign_in_integration: { audiences: ["a"] } }, "q").message).toMatchObject({
      projectId: "q",
    });
  });

  test("rejects another, be it the project itself, and takes what belongs to none", () => {
    expect(() => read(component({}), "q")).toThrow(
      /^page_component\.page_component\.project_id: is p, but --project is q$/,
    );
    const project = { project: { id: "p", organization_id: "o", name: "P" } };
    expect(() => read(project, "q")).toThrow(/^project\.id: is p, but --project is q$/);
    expect(read(project, "p").kind).toBe("project");
    expect(read({ organization: { id: "o", name: "O" } }, "q").kind).toBe("organization");
  });
});

test("a ruleset is kept as the Studio API keeps it", () => {
  const { message } = read(
    ruleset({ geo_restrictions_allow: { country_codes: ["de"] }, applies_to_all: false }),
  );
  expect(message).toMatchObject({
    geoRestrictions: { value: { countryCodes: ["DE"] } },
    applicability: { case: undefined },
  });
});

test("a record holds what one request may hold: one level more than a request", () => {
  const nested = (depth: number): object => (depth === 1 ? {} : { a: nested(depth - 1) });
  const record = (depth: number) => ({
    annotation: { id: "a", project_id: "p", action_overrides: nested(depth) },
  });
  expect(read(record(99)).kind).toBe("annotation");
  expect(() => read(record(100))).toThrow(/nests deeper than 101 levels/);
});
