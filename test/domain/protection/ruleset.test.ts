import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { isCountryCode } from "../../../src/domain/content/country-codes.ts";
import { Code } from "../../../src/domain/errors.ts";
import { checkRuleset, normalizeRuleset } from "../../../src/domain/protection/ruleset.ts";

type Init = MessageInitShape<typeof VideoProtectionRulesetSchema>;

const build = (init: Init) => create(VideoProtectionRulesetSchema, init);
const accept = (init: Init) => {
  const ruleset = normalizeRuleset(build(init));
  checkRuleset(ruleset);
  return ruleset;
};
const refusal = (reason: string, name: string) =>
  expect.objectContaining({
    code: Code.INVALID_ARGUMENT,
    reason,
    metadata: { field: `video_protection_ruleset.${name}` },
  });

const GEO = ["geoRestrictionsAllow", "geoRestrictionsDisallow"] as const;
const APPLY = ["geoApplicabilityApply", "geoApplicabilityExempt"] as const;
/** The four lists of countries, each in a ruleset. */
const COUNTRY_LISTS: readonly (readonly [string, (countryCodes: string[]) => Init])[] = [
  ...GEO.map((name) => {
    const toInit = (countryCodes: string[]): Init => ({
      geoRestrictions: { case: name, value: { countryCodes } },
    });
    return [toSnakeCase(name), toInit] as const;
  }),
  ...APPLY.map((name) => {
    const toInit = (countryCodes: string[]): Init => ({
      geoApplicability: { case: name, value: { countryCodes } },
    });
    return [toSnakeCase(name), toInit] as const;
  }),
];

describe("rule 5: a group's boolean counts only when it is true", () => {
  test.each([
    ["geoRestrictions", "allowAllGeographies"],
    ["domainRestrictions", "allowAllDomains"],
    ["applicability", "appliesToAll"],
  ] as const)("%s", (group, member) => {
    const toInit = (value: boolean) => ({ [group]: { case: member, value } }) as Init;
    expect(accept(toInit(true))[group]).toEqual({ case: member, value: true });
    expect(accept(toInit(false))[group]).toEqual({ case: undefined });
  });

  test("the ruleset that was sent is not changed", () => {
    const sent = build({ geoRestrictions: { case: "allowAllGeographies", value: false } });
    normalizeRuleset(sent);
    expect(sent.geoRestrictions).toEqual({ case: "allowAllGeographies", value: false });
  });

  test("an empty ruleset stays empty", () => {
    expect(accept({ name: "n", projectId: "p" })).toEqual(build({ name: "n", projectId: "p" }));
  });
});

describe("rules 6, 10 and 11: three states, and what needs what", () => {
  const states = [undefined, false, true];
  const name = (value: boolean | undefined) => String(value ?? "absent");
  for (const auth of states) {
    for (const entitlement of states) {
      for (const limits of states) {
        const field =
          entitlement === true && auth !== true
            ? "require_entitlement"
            : limits === true && !(auth === true && entitlement === true)
              ? "enforce_concurrency_limits"
              : undefined;
        const flags = `${name(auth)}, ${name(entitlement)}, ${name(limits)}`;
        test(`${flags} ${field === undefined ? "is kept" : `is refused at ${field}`}`, () => {
          for (const disallowVpnUsage of states) {
            for (const disallowHotlinking of states) {
              const wanted = {
                disallowVpnUsage,
                disallowHotlinking,
                requireAuthentication: auth,
                requireEntitlement: entitlement,
                enforceConcurrencyLimits: limits,
              };
              const init = omitUndefined(wanted);
              if (field === undefined) expect(accept(init)).toMatchObject(init);
              else expect(() => accept(init)).toThrow(refusal("RULE_DEPENDENCY", field));
              if (field === undefined) expect(flagsOf(accept(init))).toEqual(wanted);
            }
          }
        });
      }
    }
  }
});

describe("countries", () => {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const all = letters.flatMap((first) => letters.map((second) => first + second));
  const codes = all.filter(isCountryCode);

  for (const [field, toInit] of COUNTRY_LISTS) {
    test(`${field} takes every code in either case and keeps upper case`, () => {
      for (const asSent of [codes, codes.map((it) => it.toLowerCase())]) {
        const kept = accept(toInit(asSent));
        expect(kept).toEqual(build(toInit(codes)));
      }
      expect(accept(toInit(["dE", "De"]))).toEqual(build(toInit(["DE", "DE"])));
      expect(accept(toInit([]))).toEqual(build(toInit([])));
    });

    const unknown = [
      "",
      "D",
      "DEU",
      "XX",
      "EU",
      "UK",
      "de ",
      "D\u0395",
      "ß",
      "\u017ft",
      "ﬁ",
      "276",
    ];
    test.each([...unknown, "\u0131t"])("%o", (code) => {
      expect(() => accept(toInit(["DE", code]))).toThrow(
        refusal("COUNTRY_CODE_INVALID", `${field}.country_codes`),
      );
    });
  }
});

describe("domains (rule 8)", () => {
  const toInit = (...domains: string[]): Init => ({
    domainRestrictions: { case: "domains", value: { domains } },
  });

  test("an empty list and host names are kept as they are", () => {
    for (const domains of [[], ["example.com"], ["b.example", "A.example", "bücher.example"]]) {
      expect(accept(toInit(...domains))).toEqual(build(toInit(...domains)));
    }
  });

  test.each(["", "https://example.com", "example.com:80", "a.example/", "*.a.example"])(
    "%j is refused",
    (domain) => {
      expect(() => accept(toInit("a.example", domain))).toThrow(
        refusal("DOMAIN_INVALID", "domains.domains"),
      );
    },
  );
});

describe("a target's window of time", () => {
  const toInit = (value: object): Init => ({ applicability: { case: "target", value } });
  const at = (seconds: bigint, nanos = 0) => ({ seconds, nanos });
  const allowed = [
    {},
    { contentStartTime: at(5n) },
    { contentEndTime: at(5n) },
    { contentStartTime: at(5n), contentEndTime: at(6n) },
    { contentStartTime: at(5n, 9), contentEndTime: at(5n, 9) },
    { contentStartTime: at(5n, 9), contentEndTime: at(6n, 0) },
    { contentStartTime: at(-5n), contentEndTime: at(0n) },
    { videoIds: ["v"], entityIds: ["e"], eventIds: ["x"], creativeWorkIds: ["c"] },
  ];
  for (const [index, value] of allowed.entries()) {
    test(`window ${index} is allowed`, () => {
      expect(accept(toInit(value))).toEqual(build(toInit(value)));
    });
  }
  const refused = [
    { contentStartTime: at(6n), contentEndTime: at(5n) },
    { contentStartTime: at(5n, 9), contentEndTime: at(5n, 8) },
    { contentStartTime: at(6n, 0), contentEndTime: at(5n, 9) },
  ];
  for (const [index, value] of refused.entries()) {
    test(`window ${index} that ends before it starts is refused`, () => {
      expect(() => accept(toInit(value))).toThrow(
        refusal("TIME_WINDOW_INVALID", "target.content_end_time"),
      );
    });
  }
});

describe("filters are KQL without variables", () => {
  const toInit = (value: object): Init => ({ applicability: { case: "filter", value } });

  test("a valid text is kept as sent", () => {
    const value = { filterEvents: "content_type: match  or a: 1", filterCreativeWorks: "" };
    expect(accept(toInit(value))).toEqual(build(toInit(value)));
    expect(accept(toInit({}))).toEqual(build(toInit({})));
  });

  for (const name of ["filterEvents", "filterCreativeWorks"]) {
    const field = `video_protection_ruleset.filter.${toSnakeCase(name)}`;
    test(`a broken ${field} is refused with its column`, () => {
      expect(() => accept(toInit({ [name]: "a: (b" }))).toThrow(
        expect.objectContaining({
          code: Code.INVALID_ARGUMENT,
          reason: "KQL_SYNTAX",
          metadata: expect.objectContaining({ field, column: expect.stringMatching(/^\d+$/) }),
          fields: [expect.objectContaining({ field })],
        }),
      );
    });
  }
});

describe("drm (rule 12) and priority", () => {
  test("absent, off and on are three different things", () => {
    expect(accept({}).drm).toBeUndefined();
    expect(accept({ drm: {} }).drm).toMatchObject({ enabled: false, hwsMinimumQuality: 0 });
    const drm = { enabled: true, hwsMinimumQuality: 2_147_483_647, splitKeys: true };
    expect(accept({ drm }).drm).toMatchObject(drm);
  });

  test("a negative quality is refused", () => {
    for (const hwsMinimumQuality of [-1, -2_147_483_648]) {
      expect(() => accept({ drm: { hwsMinimumQuality } })).toThrow(
        refusal("VALUE_OUT_OF_RANGE", "drm.hws_minimum_quality"),
      );
    }
  });

  test("every 64-bit priority is kept", () => {
    for (const priority of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, -1n, 0n]) {
      expect(accept({ priority }).priority).toBe(priority);
    }
  });
});

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function omitUndefined(flags: Record<string, boolean | undefined>): Init {
  return Object.fromEntries(Object.entries(flags).filter(([, it]) => it !== undefined)) as Init;
}

function flagsOf(ruleset: ReturnType<typeof accept>) {
  return {
    disallowVpnUsage: ruleset.disallowVpnUsage,
    disallowHotlinking: ruleset.disallowHotlinking,
    requireAuthentication: ruleset.requireAuthentication,
    requireEntitlement: ruleset.requireEntitlement,
    enforceConcurrencyLimits: ruleset.enforceConcurrencyLimits,
  };
}
