import { create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { TargetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { runAll } from "../../../src/domain/base/steps.ts";
import { prepareRulesets } from "../../../src/domain/protection/prepare.ts";
import { pickRuleset } from "../../../src/domain/protection/video-selection.ts";
import { openCases } from "../../harness/cases.ts";
import {
  build,
  buildContent,
  buildItem,
  buildStored,
  GROUPS,
  NOW,
  type RulesetInit,
  readRuleset,
  selectRulesets,
  type VideoContent,
} from "./build.ts";

const each = openCases("protection/applies");

const { all, apply, filter } = GROUPS;

const BOTH_ENTITIES = { entityIds: ["a", "b"] };
/** What shows the video `v`. */
const CONTENT = {
  nothing: buildContent(),
  event: buildContent([buildItem("e", { ...BOTH_ENTITIES, time: "2026-06-11T18:00:00Z" })]),
  work: buildContent([], [buildItem("w", BOTH_ENTITIES)]),
  two: buildContent([buildItem("e"), buildItem("f")]),
  both: buildContent([buildItem("e")], [buildItem("w")]),
  "no video": { items: [buildItem("v")] },
} satisfies Record<string, VideoContent>;

/** Returns whether a ruleset applies when it is the only one. */
function appliesAlone(init: RulesetInit, content: VideoContent, country?: string): boolean {
  const selection = selectRulesets(runAll(prepareRulesets([build(init)])), content, NOW);
  return pickRuleset(selection, country) !== undefined;
}

each<[string, JsonObject, keyof typeof CONTENT, boolean]>(
  "rule 4, a ruleset selects by",
  (_name, ruleset, content, want) => {
    expect(appliesAlone(readRuleset(ruleset), CONTENT[content])).toBe(want);
  },
);

each<[string, JsonObject, string | undefined, boolean]>(
  "rule 3, a ruleset by country",
  (_name, ruleset, country, want) => {
    expect(appliesAlone(readRuleset(ruleset), CONTENT.nothing, country)).toBe(want);
  },
);

test("a ruleset by country applies in the form in which it is stored", () => {
  const rulesets = runAll(
    prepareRulesets([buildStored({ name: "n", ...all(true), ...apply("de") })]),
  );
  expect(pickRuleset(selectRulesets(rulesets, CONTENT.nothing, NOW), "DE")?.id).toBe("r");
});

const FROM = "2026-06-08T12:00:00Z";
/** Moments around the window of the table. */
const TIMES: Readonly<Record<string, string>> = {
  before: "2026-06-08T11:59:59.999Z",
  first: FROM,
  inside: "2026-06-09T12:00:00Z",
  last: "2026-06-10T12:00:00Z",
  after: "2026-06-10T12:00:00.001Z",
};

each<[string, JsonObject, string, boolean]>(
  "a target with a time window",
  (_name, ruleset, content, want) => {
    const items = content.split(", ").map((words, index) => {
      const [kind, time = ""] = words.split(" ");
      const more = TIMES[time] === undefined ? {} : { time: TIMES[time] };
      const id = kind === "work" ? "w" : ["e", "f"][index];
      return { kind, item: buildItem(id ?? "", { entityIds: ["a"], ...more }) };
    });
    const of = (name: string) => items.filter(({ kind }) => kind === name).map(({ item }) => item);
    expect(appliesAlone(readRuleset(ruleset), buildContent(of("event"), of("work")))).toBe(want);
  },
);

test("a time window counts in nanoseconds", () => {
  const second = timestampFromDate(new Date(FROM));
  const value = create(TargetSchema, { contentStartTime: { ...second, nanos: 2 } });
  const got = [1, 2, 3].map((nanos) => {
    const content = buildContent([{ ...buildItem("e"), time: { ...second, nanos } }]);
    return appliesAlone({ applicability: { case: "target", value } }, content);
  });
  expect(got).toEqual([false, true, true]);
});

test("a filter that was never checked throws and allows nothing", () => {
  expect(() => runAll(prepareRulesets([build(filter("a: ("))]))).toThrow(/expected/i);
});
