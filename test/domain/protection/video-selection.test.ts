import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runAll } from "../../../src/domain/base/steps.ts";
import { isWithin } from "../../../src/domain/base/time.ts";
import { matchKql, parseInstant, parseKql } from "../../../src/domain/kql/index.ts";
import { toMillis } from "../../../src/domain/kql/instant.ts";
import { prepareRulesets } from "../../../src/domain/protection/prepare.ts";
import { VideoSelector } from "../../../src/domain/protection/video-selection.ts";
import { build, buildContent, buildItem, GROUPS, NOW, selectRulesets, toKind } from "./build.ts";

const { all, filter, target } = GROUPS;
const DAY = 86_400_000;

/** Reports what a clock can show. */
const isTime = (millis: number) => !Number.isNaN(new Date(millis).getTime());
const idsOf = ({ rulesets }: ReturnType<typeof selectRulesets>) =>
  rulesets.map(({ ruleset }) => ruleset.id);

describe("a selector", () => {
  const rulesets = runAll(
    prepareRulesets([
      build({ id: "1-all", ...all(true) }),
      build({ id: "2-video", ...target({ videoIds: ["v"] }) }),
      build({ id: "3-event", ...target({ eventIds: ["e150"] }) }),
      build({ id: "4-work", ...target({ creativeWorkIds: ["w7"] }) }),
      build({ id: "5-entity", ...target({ entityIds: ["a"] }) }),
      build({ id: "6-window", ...target({ from: "2026-06-01T00:00:00Z" }) }),
      build({ id: "7-filter", ...filter("id: e3*", "id: w1*") }),
      build({ id: "8-other", ...target({ videoIds: ["x"] }) }),
      build({ id: "9-nothing" }),
    ]),
  );
  const events = Array.from({ length: 300 }, (_, index) => buildItem(`e${index}`));
  const works = toKind("creative_work", [
    buildItem("w7", { entityIds: ["a"], time: "2026-06-02T00:00:00Z" }),
  ]);
  const addAll = (selector: VideoSelector, items: typeof events) => {
    for (const item of items) runAll(selector.add(item));
  };

  test("selects the same in whatever order content comes", () => {
    const want = idsOf(selectRulesets(rulesets, buildContent(events, works), NOW));
    expect(want).toEqual([
      ...["1-all", "2-video", "3-event", "4-work", "5-entity", "6-window", "7-filter"],
    ]);
    for (const items of [[...works, ...events], [...events, ...works].toReversed()]) {
      const selector = new VideoSelector(rulesets, "v", NOW);
      addAll(selector, items);
      expect(idsOf(selector.selection)).toEqual(want);
    }
  });

  test("is open to a kind as long as more of it could select a ruleset", () => {
    const selector = new VideoSelector(rulesets, "v", NOW);
    const opens = () => [selector.isOpenTo("event"), selector.isOpenTo("creative_work")];
    expect(opens()).toEqual([true, true]);
    addAll(selector, works);
    addAll(selector, [buildItem("e150")]);
    expect(opens()).toEqual([true, true]);
    addAll(selector, [buildItem("e3")]);
    expect(opens()).toEqual([false, false]);
  });

  test.each([
    ["no ruleset at all", {}, [false, false]],
    ["one for everything", all(true), [false, false]],
    ["one for videos", target({ videoIds: ["x"] }), [false, false]],
    ["one for events", target({ eventIds: ["x"] }), [true, false]],
    ["one for creative works", target({ creativeWorkIds: ["x"] }), [false, true]],
    ["one for entities", target({ entityIds: ["x"] }), [true, true]],
    ["one for a time", target({ until: "2026-06-01T00:00:00Z" }), [true, true]],
    ["a filter of events", filter("id: x"), [true, false]],
    ["a filter of creative works", filter(" ", "id: x"), [false, true]],
  ] as const)("is open to %s", (_what, init, want) => {
    const selector = new VideoSelector(runAll(prepareRulesets([build(init)])), "v", NOW);
    expect([selector.isOpenTo("event"), selector.isOpenTo("creative_work")]).toEqual(want);
  });
});

describe("a selection holds", () => {
  const selectAt = (text: string, time: string, now = NOW) =>
    selectRulesets(
      runAll(prepareRulesets([build(filter(text))])),
      buildContent([buildItem("e", { time })]),
      now,
    );

  test("for good where no filter reads the clock", () => {
    const { from, until } = selectAt("start_time < 2026-07-01", "2026-06-11T18:00:00Z");
    expect([from, until]).toEqual([-Infinity, Infinity]);
  });

  test("until the clock reaches an instant of what shows the video", () => {
    const start = NOW + 60_000;
    const text = new Date(start).toISOString();
    expect(selectAt("start_time > now", text)).toMatchObject({ from: -Infinity, until: start });
    expect(selectAt("start_time > now", text, start)).toMatchObject({
      ...{ from: start, until: start + 1, rulesets: [] },
    });
    expect(selectAt("start_time > now", text, start + 1)).toMatchObject({ from: start + 1 });
  });

  const instant = fc
    .integer({ min: NOW - 2 * DAY, max: NOW + 2 * DAY })
    .chain((millis) =>
      fc
        .constantFrom("", "5", "001")
        .map((more) => `${new Date(millis).toISOString().slice(0, -1)}${more}Z`),
    );
  const reading = fc
    .tuple(
      fc.constantFrom("", "+1d", "-1d", "+36h", "-90s", "+0m", "+99999999w", "-99999999w"),
      fc.constantFrom("", "/d"),
    )
    .map(([shift, rounding]) => `now${shift}${rounding}`);
  const clause = fc
    .tuple(fc.constantFrom("start_time", "end"), fc.constantFrom(">", ">=", "<", "<="), reading)
    .map((parts) => parts.join(" "));
  const text = fc.oneof(
    clause,
    clause.map((it) => `not ${it}`),
    fc.tuple(clause, clause).map(([a, b]) => `${a} and ${b}`),
    fc.tuple(clause, clause).map(([a, b]) => `${a} or not ${b}`),
    clause.map((it) => `${it} and id: e`),
    clause.map((it) => `${it} and id: other`),
  );

  test("exactly as long as it is made to be, whatever the filters and the times", () => {
    let ended = 0;
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(instant, instant), { maxLength: 3 }),
        fc.array(fc.integer({ min: -3 * DAY, max: 3 * DAY }), { minLength: 30, maxLength: 30 }),
        (texts, times, offsets) => {
          const stored = texts.map((it, index) => build({ id: `r${index}`, ...filter(it) }));
          const rulesets = runAll(prepareRulesets(stored));
          const documents = times.map(([start_time, end]) => ({ id: "e", start_time, end }));
          const content = buildContent(documents.map((json) => ({ ...buildItem("e"), json })));
          const selectAt = (now: number) =>
            texts.filter((it) => documents.some((json) => matchKql(parseKql(it), json, now)))
              .length;
          const selection = selectRulesets(rulesets, content, NOW);
          expect(isWithin(selection, NOW)).toBe(true);
          const edges = [selection.from, selection.until - 1].filter(isTime);
          for (const time of [...edges, ...offsets.map((offset) => NOW + offset)]) {
            if (!isWithin(selection, time)) ended += 1;
            else expect(selectAt(time)).toBe(selection.rulesets.length);
          }
        },
      ),
      { numRuns: 1_000 },
    );
    expect(ended).toBeGreaterThan(1_000);
  });

  test.each([
    ["2026-06-11T18:00:00Z", 0],
    ["2026-06-11T18:00:00.057Z", 57],
    ["2026-06-11T18:00:00.9990Z", 999],
    ["2026-06-11T18:00:00.9991Z", 1_000],
    ["2026-06-11T20:00:00.0000001+02:00", 1],
  ] as const)("by whole milliseconds: %s is %s after", (text, want) => {
    const parsed = parseInstant(text);
    expect(parsed && toMillis(parsed) - NOW).toBe(want);
  });
});
