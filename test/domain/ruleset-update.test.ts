import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import {
  checkRulesetMask,
  RULESET_UPDATABLE,
  updateRuleset,
} from "../../src/domain/ruleset-update.ts";

type Init = MessageInitShape<typeof VideoProtectionRulesetSchema>;

const build = (init: Init = {}) =>
  create(VideoProtectionRulesetSchema, { id: "r", projectId: "p", name: "R", ...init } as Init);
const change = (current: Init, update: Init, ...names: string[]) =>
  updateRuleset(
    build(current),
    create(VideoProtectionRulesetSchema, update),
    checkRulesetMask(names),
  );

test("everything but the id and the project can be changed", () => {
  const names = VideoProtectionRulesetSchema.fields.map(({ name }) => name);
  const fixed = names.filter((name) => !RULESET_UPDATABLE.includes(name));
  expect(fixed).toEqual(["id", "project_id"]);
});

describe("the members of one group", () => {
  const named = VideoProtectionRulesetSchema.oneofs.map(({ fields }) =>
    fields.map((it) => it.name),
  );
  expect(named.map(({ length }) => length)).toEqual([3, 2, 2, 3]);

  for (const names of named) {
    test(`${names.join(" and ")} are not named together`, () => {
      const conflict = expect.objectContaining({ reason: "ONEOF_CONFLICT" });
      expect(() => checkRulesetMask([...names, "name"])).toThrow(conflict);
      for (const name of names) expect([...checkRulesetMask([name, name])]).toEqual([name]);
    });
  }

  test("of different groups may be named together", () => {
    const firsts = named.map(([first = ""]) => first);
    expect([...checkRulesetMask(firsts)]).toEqual(firsts);
  });
});

describe("an update", () => {
  const german = { countryCodes: ["DE"] };
  const only = { case: "geoRestrictionsAllow", value: german } as const;

  test("changes neither the stored ruleset nor what was sent", () => {
    const current = build({ geoRestrictions: only });
    const update = create(VideoProtectionRulesetSchema, {
      geoRestrictions: { case: "geoRestrictionsDisallow", value: { countryCodes: ["at"] } },
    });
    const mask = checkRulesetMask(["geo_restrictions_disallow"]);
    const changed = updateRuleset(current, update, mask);
    expect(changed.geoRestrictions.value).toMatchObject({ countryCodes: ["AT"] });
    expect(current.geoRestrictions).toMatchObject(only);
    expect(update.geoRestrictions.value).toMatchObject({ countryCodes: ["at"] });
  });

  test("of a group that is named clears the member that is not", () => {
    const { geoRestrictions } = change({ geoRestrictions: only }, {}, "allow_all_geographies");
    expect(geoRestrictions.case).toBeUndefined();
  });

  test("with false in a group's boolean, as binary messages can hold it, clears the group", () => {
    const update: Init = { geoRestrictions: { case: "allowAllGeographies", value: false } };
    const { geoRestrictions } = change({ geoRestrictions: only }, update, "allow_all_geographies");
    expect(geoRestrictions.case).toBeUndefined();
  });

  test("keeps the id and the project", () => {
    const { id, projectId, name } = change({}, { id: "x", projectId: "y", name: "N" }, "name");
    expect([id, projectId, name]).toEqual(["r", "p", "N"]);
  });

  test("is checked as a whole", () => {
    const needy: Init = { requireAuthentication: true, requireEntitlement: true };
    const broken = expect.objectContaining({ reason: "RULE_DEPENDENCY" });
    expect(() => change(needy, {}, "require_authentication")).toThrow(broken);
    const needless = change(needy, {}, "require_authentication", "require_entitlement");
    expect(needless.requireEntitlement).toBeUndefined();
  });
});
