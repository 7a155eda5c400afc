import { describe, expect, test } from "vitest";
import { isCountryCode } from "../../../src/domain/content/country-codes.ts";
import { lintRuleset } from "../../../src/domain/protection/index.ts";
import { build, GROUPS, type RulesetInit } from "./build.ts";

const { all, apply, exempt, filter, geoAll, geoAllow, geoDisallow, target } = GROUPS;

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const WORLD = LETTERS.flatMap((a) => LETTERS.map((b) => a + b)).filter(isCountryCode);
const ALL_BUT_DE = WORLD.filter((code) => code !== "DE");

function warn(init: RulesetInit, others: readonly RulesetInit[] = []): readonly string[] {
  const ruleset = build(init);
  const built = others.map((other) => build(other));
  const got = lintRuleset(ruleset, [ruleset, ...built]).map(({ code }) => code);
  expect(lintRuleset(ruleset, built).map(({ code }) => code)).toEqual(got);
  return got;
}

describe("SHADOWED: another one that applies to all is always picked first", () => {
  const high = { id: "h", ...all(true), priority: 1n };

  test.each<[string, RulesetInit, RulesetInit, boolean]>([
    ["higher, all", all(true), high, true],
    ["higher, all, disabled", all(true), { ...high, disabled: true }, true],
    ["higher, of a target", all(true), { ...high, ...target({ videoIds: ["v"] }) }, false],
    ["higher, applies_to_all false", all(true), { ...high, ...all(false) }, false],
    ["lower, all", { ...all(true), priority: 2n }, high, false],
    ["a tie, smaller id", { ...all(true), id: "r", priority: 1n }, high, true],
    ["a tie, greater id", { ...all(true), id: "a", priority: 1n }, high, false],
    ["itself", { ...high, priority: 0n }, high, false],
    ["everybody over some", { ...all(true), ...apply("DE") }, high, true],
    ["some over everybody", all(true), { ...high, ...apply("DE") }, false],
    [
      "the world over everybody: not those of unknown country",
      all(true),
      { ...high, ...apply(...WORLD) },
      false,
    ],
    ["more over some", { ...all(true), ...apply("DE") }, { ...high, ...apply("AT", "DE") }, true],
    ["some over more", { ...all(true), ...apply("AT", "DE") }, { ...high, ...apply("DE") }, false],
    [
      "some over all but others",
      { ...all(true), ...exempt("AT") },
      { ...high, ...apply("DE") },
      false,
    ],
    [
      "these over all but these",
      { ...all(true), ...exempt("DE") },
      { ...high, ...apply("DE") },
      false,
    ],
    [
      "all but others over some",
      { ...all(true), ...apply("DE") },
      { ...high, ...exempt("AT") },
      true,
    ],
    [
      "all but these over these",
      { ...all(true), ...apply("DE") },
      { ...high, ...exempt("DE") },
      false,
    ],
    ["all but these over everybody", all(true), { ...high, ...exempt("DE") }, false],
    ["all but none over everybody", all(true), { ...high, ...exempt() }, true],
    [
      "all but few over all but more",
      { ...all(true), ...exempt("AT", "DE") },
      { ...high, ...exempt("DE") },
      true,
    ],
    [
      "all but more over all but few",
      { ...all(true), ...exempt("DE") },
      { ...high, ...exempt("AT", "DE") },
      false,
    ],
  ])("%s", (_name, init, other, want) => {
    expect(warn(init, [other])).toEqual(want ? ["SHADOWED"] : []);
  });

  test("the message names the first that shadows it", () => {
    const others = ["b", "a", "c"].map((id) => build({ ...high, id }));
    const [warning] = lintRuleset(build(all(true)), others);
    expect(warning?.message).toContain("'a'");
  });
});

describe("a ruleset alone", () => {
  const kql = filter("id: a");

  test.each<[string, RulesetInit, readonly string[]]>([
    ["nothing to warn of", all(true), []],
    ["says nothing of what it applies to", {}, ["APPLIES_TO_NOTHING"]],
    ["applies_to_all false", all(false), ["APPLIES_TO_NOTHING"]],
    ["an empty target", target({}), ["APPLIES_TO_NOTHING"]],
    ["a target of ids", target({ entityIds: ["a"] }), []],
    ["a target of time", target({ until: "2026-01-01T00:00:00Z" }), []],
    ["empty filters", filter(""), ["APPLIES_TO_NOTHING"]],
    ["a filter of events", kql, []],
    ["a filter of creative works", filter("", "id: a"), []],

    [
      "applied where nobody is allowed",
      { ...kql, ...apply("DE"), ...geoAllow("AT") },
      ["EMPTY_GEOGRAPHY"],
    ],
    ["applied where some are allowed", { ...kql, ...apply("DE", "AT"), ...geoAllow("AT") }, []],
    [
      "applied where all are denied",
      { ...kql, ...apply("DE"), ...geoDisallow("DE", "AT") },
      ["EMPTY_GEOGRAPHY"],
    ],
    ["applied where some are denied", { ...kql, ...apply("DE"), ...geoDisallow("AT") }, []],
    [
      "exempt where all are allowed",
      { ...kql, ...exempt("DE", "AT"), ...geoAllow("AT") },
      ["EMPTY_GEOGRAPHY"],
    ],
    ["exempt where some are allowed", { ...kql, ...exempt("DE"), ...geoAllow("DE", "AT") }, []],
    ["exempt everywhere", { ...kql, ...exempt(...WORLD) }, ["EMPTY_GEOGRAPHY"]],
    ["exempt everywhere but in one", { ...kql, ...exempt(...ALL_BUT_DE), ...geoAll(true) }, []],
    [
      "exempt and denied everywhere together",
      { ...kql, ...exempt("DE"), ...geoDisallow(...ALL_BUT_DE) },
      ["EMPTY_GEOGRAPHY"],
    ],
    ["denied everywhere", { ...kql, ...geoDisallow(...WORLD) }, ["EMPTY_GEOGRAPHY"]],
    ["denied everywhere but in one", { ...kql, ...geoDisallow(...ALL_BUT_DE) }, []],
    ["allowed nowhere", { ...kql, ...geoAllow() }, ["EMPTY_GEOGRAPHY"]],
    ["applied nowhere", { ...kql, ...apply() }, ["EMPTY_GEOGRAPHY"]],

    ["no DRM", { ...kql, drm: { enabled: false } }, []],
    ["quality with DRM", { ...kql, drm: { enabled: true, hwsMinimumQuality: 1 } }, []],
    ["quality without DRM", { ...kql, drm: { hwsMinimumQuality: 1 } }, ["QUALITY_WITHOUT_DRM"]],
    [
      "several at once",
      { ...apply(), drm: { hwsMinimumQuality: 1 } },
      ["APPLIES_TO_NOTHING", "EMPTY_GEOGRAPHY", "QUALITY_WITHOUT_DRM"],
    ],
  ])("%s", (_name, init, want) => {
    expect(warn(init)).toEqual(want);
  });
});

test("an empty geography says whether it is of those it applies to or of those it allows", () => {
  const inits = [apply(), exempt(...WORLD), geoAllow(), geoDisallow(...WORLD)];
  const got = inits.map((init) => lintRuleset(build({ ...all(true), ...init }), []));
  const wants = [
    /applies to viewers in no/,
    /applies to viewers in no/,
    /allows none/,
    /allows none/,
  ];
  expect(got).toEqual(
    wants.map((want) => [{ code: "EMPTY_GEOGRAPHY", message: expect.stringMatching(want) }]),
  );
});

test("a filter that matches nothing now is for storage to say", () => {
  const lint = (filterMatchesNothing?: boolean) =>
    lintRuleset(
      build(filter("id: a")),
      [],
      filterMatchesNothing === undefined ? {} : { filterMatchesNothing },
    ).map(({ code }) => code);
  expect([lint(), lint(false), lint(true)]).toEqual([[], [], ["FILTER_MATCHES_NOTHING"]]);
});
