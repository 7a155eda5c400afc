import { create, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { isCountryCode } from "../../../src/domain/content/country-codes.ts";
import {
  checkRuleset,
  checkRulesetMask,
  isHostName,
  normalizeRuleset,
} from "../../../src/domain/protection/ruleset.ts";
import { checkRequired } from "../../../src/domain/validation/field-behavior.ts";
import {
  applyMask,
  type CheckedMask,
  checkMask,
  listUpdatable,
} from "../../../src/domain/validation/field-mask.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";
import { readRuleset } from "./build.ts";

const each = openCases("protection/ruleset");

const RULESET = "video_protection_ruleset";
const UPDATABLE = listUpdatable(VideoProtectionRulesetSchema);

/** Returns the checked mask of an update. */
function maskOf(names: readonly string[], update: VideoProtectionRuleset) {
  const mask = checkMask(names, UPDATABLE);
  checkRulesetMask(mask, update);
  return mask;
}

/** Applies an update and checks the result. */
function updateRuleset(
  current: VideoProtectionRuleset,
  update: VideoProtectionRuleset,
  mask: CheckedMask,
): VideoProtectionRuleset {
  const changed = applyMask(VideoProtectionRulesetSchema, current, update, mask);
  checkRequired(VideoProtectionRulesetSchema, changed, RULESET);
  checkRuleset(changed, RULESET);
  return changed;
}

/** Normalizes and checks a ruleset. */
function accept(json: JsonObject): VideoProtectionRuleset {
  const ruleset = normalizeRuleset(readRuleset(json));
  checkRuleset(ruleset, RULESET);
  return ruleset;
}

each<[JsonObject]>("a ruleset is kept as it is", (json) => {
  expect(accept(json)).toEqual(readRuleset(json));
});

each<[JsonObject, string, string]>("a ruleset is rejected", (json, reason, field) => {
  expect(() => accept(json)).toThrow(rejection(reason, `${RULESET}.${field}`));
});

test.each([
  ["geoRestrictions", "allow_all_geographies"],
  ["domainRestrictions", "allow_all_domains"],
  ["applicability", "applies_to_all"],
] as const)("rule 5: the boolean of the group %s counts only when it is true", (group, member) => {
  expect(accept({ [member]: true })).toEqual(readRuleset({ [member]: true }));
  const sent = readRuleset({ [member]: false });
  expect(normalizeRuleset(sent)[group]).toEqual({ case: undefined });
  expect(sent[group].value).toBe(false);
});

describe("rules 6, 10 and 11: three states, and what needs what", () => {
  const STATES = [undefined, false, true];
  const toJson = (flags: Record<string, boolean | undefined>) =>
    Object.fromEntries(Object.entries(flags).filter(([, it]) => it !== undefined)) as JsonObject;
  const cases = STATES.flatMap((auth) =>
    STATES.flatMap((entitlement) => STATES.map((limits) => [auth, entitlement, limits] as const)),
  );
  test.each(cases)("%s, %s, %s", (auth, entitlement, limits) => {
    const needsAuth = entitlement === true && auth !== true;
    const needsBoth = limits === true && !(auth === true && entitlement === true);
    for (const disallow_vpn_usage of STATES) {
      for (const disallow_hotlinking of STATES) {
        const json = toJson({
          ...{ disallow_vpn_usage, disallow_hotlinking, require_authentication: auth },
          ...{ require_entitlement: entitlement, enforce_concurrency_limits: limits },
        });
        const field = needsAuth ? "require_entitlement" : "enforce_concurrency_limits";
        if (needsAuth || needsBoth) {
          const want = rejection("RULE_DEPENDENCY", `${RULESET}.${field}`);
          expect(() => accept(json)).toThrow(want);
        } else expect(accept(json)).toEqual(readRuleset(json));
      }
    }
  });
});

describe.each([
  ...["geo_restrictions_allow", "geo_restrictions_disallow"],
  ...["geo_applicability_apply", "geo_applicability_exempt"],
])("the countries of %s", (field) => {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountryCode);
  const toJson = (country_codes: string[]) => ({ [field]: { country_codes } });

  test("are every code in either case, and kept in upper case", () => {
    for (const sent of [codes, codes.map((it) => it.toLowerCase())]) {
      expect(accept(toJson(sent))).toEqual(readRuleset(toJson(codes)));
    }
    expect(accept(toJson(["dE", "De"]))).toEqual(readRuleset(toJson(["DE", "DE"])));
    expect(accept(toJson([]))).toEqual(readRuleset(toJson([])));
  });

  each<[string]>("are not", (code) => {
    const want = rejection("COUNTRY_CODE_INVALID", `${RULESET}.${field}.country_codes`);
    expect(() => accept(toJson(["DE", code]))).toThrow(want);
  });
});

const LABEL = "a".repeat(63);

each<[string]>("a host name", (name) => {
  expect(isHostName(name)).toBe(true);
});

each<[string]>("no host name", (name) => {
  expect(isHostName(name)).toBe(false);
});

test("a label of a host name has 63 letters, and all 253 together", () => {
  const ofLength = (length: number) => `${`${LABEL}.`.repeat(3)}${"a".repeat(length)}`;
  expect([LABEL, ofLength(61), `${LABEL}a`, ofLength(62)].map(isHostName)).toEqual([
    ...[true, true, false, false],
  ]);
});

test.each(["filter_events", "filter_creative_works"])("a broken %s says its column", (name) => {
  const field = `${RULESET}.filter.${name}`;
  expect(() => accept({ filter: { [name]: "a: (b" } })).toThrow(
    rejection("KQL_SYNTAX", undefined, {
      metadata: expect.objectContaining({ field, column: expect.stringMatching(/^\d+$/) }),
      fields: [expect.objectContaining({ field })],
    }),
  );
});

type Init = MessageInitShape<typeof VideoProtectionRulesetSchema>;

const build = (init: Init = {}) =>
  create(VideoProtectionRulesetSchema, { id: "r", projectId: "p", name: "R", ...init } as Init);
const change = (current: Init, sent: Init, ...names: string[]) => {
  const update = normalizeRuleset(create(VideoProtectionRulesetSchema, sent));
  return updateRuleset(build(current), update, maskOf(names, update));
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
  const fixed = names.filter((name) => !UPDATABLE.includes(name));
  expect(fixed).toEqual(["id", "project_id"]);
});

describe("the members of one group", () => {
  const named = VideoProtectionRulesetSchema.oneofs.map(({ fields }) =>
    fields.map((it) => it.name),
  );
  expect(named.map(({ length }) => length)).toEqual([3, 2, 2, 3]);

  test.each(named.map((names) => [names]))("%s are not named together", (names) => {
    for (const name of names) {
      const update = build(givenOf(name));
      const others = names.filter((it) => it !== name && !it.startsWith("a"));
      if (others.length > 0) {
        const check = () => maskOf([name, ...others], update);
        expect(check).toThrow(rejection("ONEOF_CONFLICT"));
      }
      expect([...maskOf([name, name], build())]).toEqual([name]);
    }
  });

  test.each(["allow_all_geographies", "allow_all_domains", "applies_to_all"])(
    "are named together with %s, a boolean that is not true",
    (name) => {
      const [member = ""] =
        named.find((it) => it.includes(name))?.filter((it) => it !== name) ?? [];
      const mask = maskOf([name, member], build(givenOf(member)));
      expect([...mask]).toEqual([name, member]);
    },
  );

  test("of different groups may be named together", () => {
    const firsts = named.map(([first = ""]) => first);
    expect([...maskOf(firsts, build())]).toEqual(firsts);
  });
});

describe("an update", () => {
  test("changes neither the stored ruleset nor what was sent", () => {
    const [current, update] = [
      readRuleset({
        ...{ name: "R", project_id: "p" },
        geo_restrictions_allow: { country_codes: ["DE"] },
      }),
      readRuleset({ geo_restrictions_disallow: { country_codes: ["AT"] } }),
    ];
    const mask = maskOf(["geo_restrictions_disallow"], update);
    const changed = updateRuleset(current, update, mask);
    const got = [changed, current, update].map((it) => it.geoRestrictions.value);
    expect(got).toMatchObject([["AT"], ["DE"], ["AT"]].map((countryCodes) => ({ countryCodes })));
  });

  test.each(VideoProtectionRulesetSchema.oneofs.map((it) => [it.name, it] as const))(
    "that names a member of %s without a value clears that member alone",
    (_name, { fields, localName }) => {
      const caseOf = (ruleset: VideoProtectionRuleset) =>
        (Reflect.get(ruleset, localName) as { case?: string }).case;
      for (const stored of fields) {
        for (const named of fields) {
          const isFalse = named.fieldKind === "scalar";
          for (const sent of [{}, ...(isFalse ? [givenOf(named.name, false)] : [])]) {
            const changed = change(givenOf(stored.name), sent, named.name);
            expect(caseOf(changed)).toBe(named === stored ? undefined : stored.localName);
          }
          const set = change(givenOf(stored.name), givenOf(named.name), named.name);
          expect(caseOf(set)).toBe(named.localName);
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
    expect(() => change(needy, {}, "require_authentication")).toThrow(rejection("RULE_DEPENDENCY"));
    const needless = change(needy, {}, "require_authentication", "require_entitlement");
    expect(needless.requireEntitlement).toBeUndefined();
  });
});
