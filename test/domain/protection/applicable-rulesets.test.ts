import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runAll } from "../../../src/domain/base/steps.ts";
import { indexItem } from "../../../src/domain/protection/content.ts";
import { appliesTo, prepareRulesets } from "../../../src/domain/protection/prepare.ts";
import {
  listApplicableRulesets,
  pickRuleset,
} from "../../../src/domain/protection/video-selection.ts";
import {
  build,
  buildContent,
  buildItem,
  GROUPS,
  NOW,
  type RulesetInit,
  selectRulesets,
} from "./build.ts";

const { all, apply, filter, target } = GROUPS;

const TIMES = ["2026-06-01T00:00:00Z", "2026-06-11T18:00:00Z", "2026-07-01T00:00:00Z"] as const;
const FILTERS = [
  ...["", "id: e1", "id: (e1 or e2)", "id: e*", "not id: e1", "*: e1", "e1", "id: *"],
  ...["entity_ids: a", "entity_ids: a and id: e1", "entity_ids: a or start_time < now"],
  ...["number: 4", 'number: "4.0"', "number: 04", "number >= 4", "number: 4 or name: four"],
  ...['start_time: "2026-06-11T18:00:00.000Z"', "start_time > now", "missing: 1"],
  ...["id: e1 and not entity_ids: a", "(id: e1 or id: e2) and (number: 4 or number: 5)"],
];

const ids = (...names: string[]) => fc.subarray(names);
const selection: fc.Arbitrary<RulesetInit> = fc.oneof(
  fc.boolean().map(all),
  fc.constant({}),
  fc
    .record(
      {
        videoIds: ids("v1", "v2"),
        eventIds: ids("e1", "e2"),
        creativeWorkIds: ids("e1", "w1"),
        entityIds: ids("a", "b"),
        from: fc.constantFrom(...TIMES),
        until: fc.constantFrom(...TIMES),
      },
      { requiredKeys: [] },
    )
    .map(target),
  fc.tuple(fc.constantFrom(...FILTERS), fc.constantFrom(...FILTERS)).map((it) => filter(...it)),
);
const viewers: fc.Arbitrary<RulesetInit> = fc.constantFrom({}, apply("DE"), apply());
const rulesets = fc
  .array(fc.tuple(selection, viewers, fc.bigInt({ min: -3n, max: 3n })), { maxLength: 12 })
  .map((inits) =>
    inits.map(([chosen, concerned, priority], index) =>
      build({ ...chosen, ...concerned, priority, id: `r${index}` } as RulesetInit),
    ),
  );
const item = (...names: string[]) =>
  fc
    .tuple(
      fc.constantFrom(...names),
      fc.record(
        {
          entityIds: ids("a", "b"),
          time: fc.constantFrom(...TIMES),
          more: fc.constantFrom({ number: 4 }, { number: 5 }, { name: "four" }),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([id, init]) => buildItem(id, init));
const content = fc
  .tuple(
    fc.array(item("e1", "e2"), { maxLength: 3 }),
    fc.array(item("w1", "e1"), { maxLength: 3 }),
    fc.constantFrom("v1", "v2", "v3", undefined),
  )
  .map(([events, works, videoId]) => ({ ...buildContent(events, works), videoId }));

describe("the rulesets of a video", () => {
  test("are those that apply to it or to an item that shows it", () => {
    fc.assert(
      fc.property(rulesets, content, fc.constantFrom("DE", undefined), (built, video, country) => {
        const prepared = runAll(prepareRulesets(built));
        const { videoId, items } = video;
        const shown = [{ videoId }, ...items.map((it) => ({ videoId, item: indexItem(it) }))];
        const applicable = prepared.filter((ruleset) =>
          shown.some((it) => appliesTo(ruleset, it, country, NOW)),
        );
        const want = applicable.map(({ ruleset }) => ruleset.id);
        const selection = selectRulesets(prepared, video, NOW);
        const got = listApplicableRulesets(selection, country).map(({ id }) => id);
        expect(got).toEqual(want);
        expect(pickRuleset(selection, country)?.id).toBe(want[0]);
      }),
      { numRuns: 3_000 },
    );
  });
});
