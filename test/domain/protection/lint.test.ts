import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { isCountryCode } from "../../../src/domain/content/country-codes.ts";
import { lintRuleset } from "../../../src/domain/protection/lint.ts";
import { openCases } from "../../harness/cases.ts";
import { build, GROUPS, type RulesetInit, readRuleset } from "./build.ts";

const each = openCases("protection/lint");

const { all, apply, exempt, filter, geoAll, geoAllow, geoDisallow } = GROUPS;

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const WORLD = LETTERS.flatMap((a) => LETTERS.map((b) => a + b)).filter(isCountryCode);
const ALL_BUT_DE = WORLD.filter((code) => code !== "DE");
const HIGH = { id: "h", ...all(true), priority: 1n };

function warn(init: RulesetInit, others: readonly RulesetInit[] = []): readonly string[] {
  const ruleset = build(init);
  const built = others.map((other) => build(other));
  const got = lintRuleset(ruleset, [ruleset, ...built]).map(({ code }) => code);
  expect(lintRuleset(ruleset, built).map(({ code }) => code)).toEqual(got);
  return got;
}

// Another one that applies to all is always picked first.
each<[string, JsonObject, JsonObject, boolean]>("SHADOWED", (_name, ruleset, other, want) => {
  expect(warn(readRuleset(ruleset), [readRuleset(other)])).toEqual(want ? ["SHADOWED"] : []);
});

test("the world shadows no viewer of unknown country", () => {
  expect(warn(all(true), [{ ...HIGH, ...apply(...WORLD) }])).toEqual([]);
});

test("the message names the first that shadows it", () => {
  const others = ["b", "a", "c"].map((id) => build({ ...HIGH, id }));
  const [warning] = lintRuleset(build(all(true)), others);
  expect(warning?.message).toContain("'a'");
});

each<[string, JsonObject, string[]]>("a ruleset alone", (_name, ruleset, want) => {
  expect(warn(readRuleset(ruleset))).toEqual(want);
});

test.each<[string, RulesetInit, boolean]>([
  ["exempt everywhere", exempt(...WORLD), true],
  ["exempt everywhere but in one", { ...exempt(...ALL_BUT_DE), ...geoAll(true) }, false],
  ["exempt and denied together", { ...exempt("DE"), ...geoDisallow(...ALL_BUT_DE) }, true],
  ["denied everywhere", geoDisallow(...WORLD), true],
  ["denied everywhere but in one", geoDisallow(...ALL_BUT_DE), false],
])("a ruleset alone: %s", (_name, init, isEmpty) => {
  expect(warn({ ...filter("id: a"), ...init })).toEqual(isEmpty ? ["EMPTY_GEOGRAPHY"] : []);
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
