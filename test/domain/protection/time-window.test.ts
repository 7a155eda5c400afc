import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { TargetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { VideoContent } from "../../../src/domain/protection/index.ts";
import { appliesAlone, buildContent, buildItem, GROUPS, type RulesetInit } from "./build.ts";

const FROM = "2026-06-08T12:00:00Z";
const UNTIL = "2026-06-10T12:00:00Z";
const BEFORE = "2026-06-08T11:59:59.999Z";
const INSIDE = "2026-06-09T12:00:00Z";
const AFTER = "2026-06-10T12:00:00.001Z";

const inWindow = (ids: Record<string, string[]>) =>
  GROUPS.target({ from: FROM, until: UNTIL, ...ids });
const WINDOW = inWindow({});
const START = GROUPS.target({ from: FROM });
const END = GROUPS.target({ until: UNTIL });
const NOTHING = buildContent();

const item = (id: string, time?: string) =>
  buildItem(id, { entityIds: ["a"], ...(time === undefined ? {} : { time }) });
const event = (time?: string) => buildContent([item("e", time)]);
const work = (time?: string) => buildContent([], [item("w", time)]);

describe("a target with a time window:", () => {
  test.each<[string, RulesetInit, VideoContent, boolean]>([
    ["a window alone, an event inside", WINDOW, event(INSIDE), true],
    ["a window alone, a creative work inside", WINDOW, work(INSIDE), true],
    ["a window alone, the first moment", WINDOW, event(FROM), true],
    ["a window alone, the last moment", WINDOW, event(UNTIL), true],
    ["a window alone, before", WINDOW, event(BEFORE), false],
    ["a window alone, after", WINDOW, event(AFTER), false],
    ["a window alone, no time", WINDOW, event(), false],
    ["a window alone, a video of nothing", WINDOW, NOTHING, false],
    ["a start alone, after it", START, event(AFTER), true],
    ["a start alone, before it", START, event(BEFORE), false],
    ["a start alone, no time", START, work(), false],
    ["an end alone, before it", END, event(BEFORE), true],
    ["an end alone, after it", END, event(AFTER), false],
    ["an end alone, no time", END, work(), false],

    ["the event, inside", inWindow({ eventIds: ["e"] }), event(INSIDE), true],
    ["the event, outside", inWindow({ eventIds: ["e"] }), event(AFTER), false],
    ["another event, inside", inWindow({ eventIds: ["x"] }), event(INSIDE), false],
    ["the creative work, inside", inWindow({ creativeWorkIds: ["w"] }), work(INSIDE), true],
    ["the creative work, outside", inWindow({ creativeWorkIds: ["w"] }), work(BEFORE), false],
    ["the entity, inside", inWindow({ entityIds: ["a"] }), event(INSIDE), true],
    ["the entity, outside", inWindow({ entityIds: ["a"] }), event(AFTER), false],
    [
      "the event outside, another one inside",
      inWindow({ eventIds: ["e"] }),
      buildContent([item("e", AFTER), item("f", INSIDE)]),
      false,
    ],

    ["the video, its event inside", inWindow({ videoIds: ["v"] }), event(INSIDE), true],
    ["the video, its creative work inside", inWindow({ videoIds: ["v"] }), work(INSIDE), true],
    ["the video, its event outside", inWindow({ videoIds: ["v"] }), event(AFTER), false],
    ["the video, of nothing", inWindow({ videoIds: ["v"] }), NOTHING, false],
    ["another video, its event inside", inWindow({ videoIds: ["x"] }), event(INSIDE), false],
  ])("%s", (_name, ruleset, content, want) => {
    expect(appliesAlone(ruleset, content)).toBe(want);
  });

  test("it counts in nanoseconds", () => {
    const second = timestampFromDate(new Date(FROM));
    const value = create(TargetSchema, { contentStartTime: { ...second, nanos: 2 } });
    const got = [1, 2, 3].map((nanos) => {
      const content = buildContent([{ ...buildItem("e"), time: { ...second, nanos } }]);
      return appliesAlone({ applicability: { case: "target", value } }, content);
    });
    expect(got).toEqual([false, true, true]);
  });
});
