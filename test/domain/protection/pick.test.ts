import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { runAll } from "../../../src/domain/base/steps.ts";
import { decide } from "../../../src/domain/protection/decide.ts";
import { isGeoblocked } from "../../../src/domain/protection/geoblock.ts";
import { lintRuleset } from "../../../src/domain/protection/lint.ts";
import { prepareRulesets } from "../../../src/domain/protection/prepare.ts";
import {
  listApplicableRulesets,
  pickRuleset,
} from "../../../src/domain/protection/video-selection.ts";
import { openCases } from "../../harness/cases.ts";
import {
  build,
  buildContent,
  buildItem,
  GROUPS,
  NOW,
  type RulesetInit,
  readRuleset,
  selectRulesets,
} from "./build.ts";

const each = openCases("protection/pick");

const { all, apply, domains, exempt, filter, geoAllow, geoDisallow, target } = GROUPS;
const CONTENT = buildContent([buildItem("e", { entityIds: ["a"] })]);

const select = (rulesets: readonly VideoProtectionRuleset[]) =>
  selectRulesets(runAll(prepareRulesets(rulesets)), CONTENT, NOW);

function pick(rulesets: readonly VideoProtectionRuleset[], country?: string) {
  return pickRuleset(select(rulesets), country);
}

each<[string, JsonObject[], string?]>(
  "of the rulesets that apply, in either order, picks",
  (_name, rulesets, want) => {
    const built = rulesets.map(readRuleset);
    expect(pick(built)?.id).toBe(want);
    expect(pick(built.toReversed())?.id).toBe(want);
  },
);

test("all that apply are listed, the picked one first", () => {
  const built = [
    build({ id: "a", ...all(true) }),
    build({ id: "b" }),
    build({ id: "c", ...all(true), priority: 5n }),
  ];
  const got = listApplicableRulesets(select(built), undefined);
  expect(got.map(({ id }) => id)).toEqual(["c", "a"]);
});

const country = fc.constantFrom("DE", "AT", "US");
const countries = fc.uniqueArray(country);
const initArbitrary: fc.Arbitrary<RulesetInit> = fc
  .tuple(
    fc.oneof(
      fc.boolean().map(all),
      fc.subarray(["v", "x"]).map((videoIds) => target({ videoIds })),
      fc.subarray(["a", "b"]).map((entityIds) => target({ entityIds })),
      fc.constantFrom("id: e", "entity_ids: b", "").map((text) => filter(text)),
    ),
    fc.oneof(
      countries.map((list) => geoAllow(...list)),
      countries.map((list) => geoDisallow(...list)),
      fc.constant({}),
    ),
    fc.oneof(
      countries.map((list) => apply(...list)),
      countries.map((list) => exempt(...list)),
      fc.constant({}),
    ),
    fc.oneof(fc.constant({}), fc.constant(domains("example.com"))),
    fc.bigInt({ min: -2n, max: 2n }),
  )
  .map(([selection, geo, viewers, sites, priority]) => ({
    ...selection,
    ...geo,
    ...viewers,
    ...sites,
    priority,
  }));
const rulesetsArbitrary = fc
  .array(initArbitrary, { maxLength: 8 })
  .map((inits) => inits.map((init, index) => build({ ...init, id: `r${index}` })));
const shuffled = rulesetsArbitrary.chain((rulesets) =>
  fc.tuple(
    fc.constant(rulesets),
    fc.shuffledSubarray(rulesets, { minLength: rulesets.length, maxLength: rulesets.length }),
  ),
);

describe("for any rulesets", () => {
  test("no response depends on their order", () => {
    const viewers = fc.record({
      country: fc.option(country, { nil: undefined }),
      referrer: fc.webUrl(),
    });
    fc.assert(
      fc.property(shuffled, viewers, ([one, other], viewer) => {
        const item = { ...buildItem("e", { entityIds: ["a"] }), videoIds: ["v"] };
        const [got, want] = [one, other].map((rulesets) => {
          const prepared = runAll(prepareRulesets(rulesets));
          const picked = pickRuleset(select(rulesets), viewer.country);
          return {
            decision: decide(picked, viewer),
            all: listApplicableRulesets(select(rulesets), viewer.country),
            blocked: runAll(isGeoblocked(item, prepared, viewer.country, NOW)),
            warnings: one.map((ruleset) => lintRuleset(ruleset, rulesets)),
          };
        });
        expect(got).toEqual(want);
      }),
    );
  });

  test("the picked one applies alone and no other that applies alone comes before it", () => {
    fc.assert(
      fc.property(rulesetsArbitrary, country, (rulesets, from) => {
        const picked = pick(rulesets, from);
        const alone = rulesets.filter((ruleset) => pick([ruleset], from) !== undefined);
        const highest = alone.map(({ priority }) => priority).toSorted((a, b) => Number(b - a))[0];
        const want = alone.find(({ priority }) => priority === highest);
        expect(picked?.id).toBe(want?.id);
      }),
    );
  });
});
