import { describe, expect, test } from "vitest";
import {
  pickRuleset,
  prepareRulesets,
  selectRulesets,
  type VideoContent,
} from "../../../src/domain/protection/index.ts";
import {
  appliesAlone,
  build,
  buildContent,
  buildItem,
  buildStored,
  GROUPS,
  NOW,
  type RulesetInit,
} from "./build.ts";

const { all, apply, exempt, filter, target } = GROUPS;

const NOTHING = buildContent();
const EVENT = buildContent([
  buildItem("e", { entityIds: ["a", "b"], time: "2026-06-11T18:00:00Z" }),
]);
const WORK = buildContent([], [buildItem("w", { entityIds: ["a", "b"] })]);
const TWO = buildContent([buildItem("e"), buildItem("f")]);
const BOTH = buildContent([buildItem("e")], [buildItem("w")]);
const NO_VIDEO: VideoContent = { events: [buildItem("v")], creativeWorks: [] };

test.each<[string, RulesetInit, VideoContent, boolean]>([
  ["nothing set", {}, BOTH, false],
  ["applies_to_all", all(true), NOTHING, true],
  ["applies_to_all without a video", all(true), NO_VIDEO, true],
  ["applies_to_all false", all(false), BOTH, false],
  ["disabled stays in force", { ...all(true), disabled: true }, NOTHING, true],

  ["an empty target", target({}), EVENT, false],
  ["the video", target({ videoIds: ["x", "v"] }), NOTHING, true],
  ["another video", target({ videoIds: ["x"] }), EVENT, false],
  ["a video id, no video", target({ videoIds: ["v"] }), NO_VIDEO, false],
  ["the event", target({ eventIds: ["e"] }), EVENT, true],
  ["the second event of two", target({ eventIds: ["f"] }), TWO, true],
  ["another event", target({ eventIds: ["x"] }), EVENT, false],
  ["a creative work's id for an event", target({ eventIds: ["w"] }), WORK, false],
  ["the creative work", target({ creativeWorkIds: ["w"] }), WORK, true],
  ["another creative work", target({ creativeWorkIds: ["x"] }), WORK, false],
  ["an event's id for a creative work", target({ creativeWorkIds: ["e"] }), EVENT, false],
  ["an entity of the event", target({ entityIds: ["b"] }), EVENT, true],
  ["an entity of the creative work", target({ entityIds: ["b"] }), WORK, true],
  ["an entity of neither", target({ entityIds: ["z"] }), EVENT, false],
  ["one id of many", target({ videoIds: ["x"], eventIds: ["e"], entityIds: ["z"] }), EVENT, true],

  ["filter_events on an event", filter("entity_ids: b"), EVENT, true],
  ["filter_events on another event", filter("entity_ids: z"), EVENT, false],
  ["filter_events on any event", filter("id: f"), TWO, true],
  ["filter_events on a creative work", filter("entity_ids: b"), WORK, false],
  ["filter_creative_works on a creative work", filter("", "id: w"), WORK, true],
  ["filter_creative_works on another one", filter("", "id: x"), WORK, false],
  ["filter_creative_works on an event", filter("", "id: *"), EVENT, false],
  ["one filter of two", filter("id: x", "id: w"), BOTH, true],
  ["empty filters", filter("", ""), BOTH, false],
  ["blank filters", filter(" \n", "\t"), BOTH, false],
  ["the filter * on any event", filter("*"), EVENT, true],
  ["the filter * on a video of nothing", filter("*", "*"), NOTHING, false],
  ["a filter by the clock, not later", filter("start_time <= now"), EVENT, true],
  ["a filter by the clock, later", filter("start_time <= now-1s"), EVENT, false],
])("rule 4: a ruleset selects by: %s", (_name, ruleset, content, want) => {
  expect(appliesAlone(ruleset, content)).toBe(want);
});

describe("rule 3: a ruleset by country", () => {
  test.each<[string, RulesetInit, string | undefined, boolean]>([
    ["neither list", all(true), "DE", true],
    ["apply, there", { ...all(true), ...apply("AT", "DE") }, "DE", true],
    ["apply, elsewhere", { ...all(true), ...apply("AT") }, "DE", false],
    ["apply, unknown", { ...all(true), ...apply("AT") }, undefined, false],
    ["apply to none", { ...all(true), ...apply() }, "DE", false],
    [
      "apply, there, another video",
      { ...target({ videoIds: ["x"] }), ...apply("DE") },
      "DE",
      false,
    ],
    ["exempt, there", { ...all(true), ...exempt("AT", "DE") }, "DE", false],
    ["exempt, elsewhere", { ...all(true), ...exempt("DE") }, "AT", true],
    ["exempt, unknown", { ...all(true), ...exempt("DE") }, undefined, true],
    ["exempt none", { ...all(true), ...exempt() }, "DE", true],
  ])("%s", (_name, ruleset, country, want) => {
    expect(appliesAlone(ruleset, NOTHING, country)).toBe(want);
  });

  test("applies in the form in which it is stored", () => {
    const rulesets = prepareRulesets([buildStored({ name: "n", ...all(true), ...apply("de") })]);
    expect(pickRuleset(selectRulesets(rulesets, NOTHING, NOW), "DE")?.id).toBe("r");
  });
});

test("a filter that was never checked throws and allows nothing", () => {
  expect(() => prepareRulesets([build(filter("a: ("))])).toThrow(/expected/i);
});
