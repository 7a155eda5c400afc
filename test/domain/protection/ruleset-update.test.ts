import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import {
  checkRulesetMask,
  normalizeRuleset,
  RULESET_UPDATABLE,
  updateRuleset,
} from "../../../src/domain/protection/ruleset.ts";

type Init = MessageInitShape<typeof VideoProtectionRulesetSchema>;

const build = (init: Init = {}) =>
  create(VideoProtectionRulesetSchema, { id: "r", projectId: "p", name: "R", ...init } as Init);
const change = (current: Init, sent: Init, ...names: string[]) => {
  const update = normalizeRuleset(create(VideoProtectionRulesetSchema, sent));
  return updateRuleset(build(current), update, checkRulesetMask(names, update));
};

/** A ruleset that sets one member of a group; a boolean is `value`. */
function givenOf(name: string, value = true): Init {
  const field = VideoProtectionRulesetSchema.fields.find((it) => it.name === name);
  if (field?.oneof === undefined) throw new Error(`${name} is no member of a group`);
  const content = field.fieldKind === "scalar" ? value : {};
  return { [field.oneof.localName]: { case: field.localName, value: content } };
}

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
      for (const name of names) {
        const update = build(givenOf(name));
        const others = names.filter((it) => it !== name && !it.startsWith("a"));
        if (others.length > 0) {
          expect(() => checkRulesetMask([name, ...others], update)).toThrow(conflict);
        }
        expect([...checkRulesetMask([name, name], build())]).toEqual([name]);
      }
    });
  }

  test("are named together where the others are booleans that are not true", () => {
    for (const name of ["allow_all_geographies", "allow_all_domains", "applies_to_all"]) {
      const [member = ""] =
        named.find((it) => it.includes(name))?.filter((it) => it !== name) ?? [];
      const update = build(givenOf(member));
      expect([...checkRulesetMask([name, member], update)]).toEqual([name, member]);
    }
  });

  test("of different groups may be named together", () => {
    const firsts = named.map(([first = ""]) => first);
    expect([...checkRulesetMask(firsts, build())]).toEqual(firsts);
  });
});

describe("an update", () => {
  const german = { countryCodes: ["DE"] };
  const only = { case: "geoRestrictionsAllow", value: german } as const;

  test("changes neither the stored ruleset nor what was sent", () => {
    const current = build({ geoRestrictions: only });
    const update = create(VideoProtectionRulesetSchema, {
      geoRestrictions: { case: "geoRestrictionsDisallow", value: { countryCodes: ["AT"] } },
    });
    const mask = checkRulesetMask(["geo_restrictions_disallow"], update);
    const changed = updateRuleset(current, update, mask);
    expect(changed.geoRestrictions.value).toMatchObject({ countryCodes: ["AT"] });
    expect(current.geoRestrictions).toMatchObject(only);
    expect(update.geoRestrictions.value).toMatchObject({ countryCodes: ["AT"] });
  });

  test.each(VideoProtectionRulesetSchema.oneofs)(
    "that names a member of $group without a value clears that member alone",
    ({ name: group, fields, localName }) => {
      const caseOf = (ruleset: VideoProtectionRuleset) =>
        (Reflect.get(ruleset, localName) as { case?: string }).case;
      for (const stored of fields) {
        for (const named of fields) {
          const isFalse = named.fieldKind === "scalar";
          for (const sent of [{}, ...(isFalse ? [givenOf(named.name, false)] : [])]) {
            const changed = change(givenOf(stored.name), sent, named.name);
            expect(caseOf(changed)).toBe(named === stored ? undefined : stored.localName);
          }
          expect(caseOf(change(givenOf(stored.name), givenOf(named.name), named.name))).toBe(
            named.localName,
          );
        }
      }
    },
  );

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
