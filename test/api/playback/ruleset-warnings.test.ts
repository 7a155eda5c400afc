import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "vitest";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { HttpAnswer } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callRulesets, changeRulesets, RULESET_FACES, type RulesetFields } from "./rulesets.ts";

const marquee = await useMarquee();
// So that no ruleset of a test shadows that of the next.
afterEach(async () => {
  const { rulesets } = marquee.store;
  const { documents } = marquee.store.in("org-worldcup");
  for (const { id, name } of await rulesets.list("worldcup")) {
    if (["R", "W"].includes(name)) await documents.ruleset.delete(id, () => undefined);
  }
});

interface Warning {
  readonly code: string;
  readonly message: string;
}
const warningsOf = ({ headers }: HttpAnswer): readonly Warning[] =>
  JSON.parse(headers.get("marquee-warnings") ?? "[]");
const codesOf = (answer: HttpAnswer) => warningsOf(answer).map(({ code }) => code);

const DE = { country_codes: ["DE"] };
/** Comes before the demo's ruleset for everything, which has the priority 0. */
const FIRST = { priority: "1", applies_to_all: true };
const NOTHING = "NO_SUCH_THING";

/** Rulesets with the warnings that they cause. */
const CASES: readonly (readonly [string, RulesetFields, readonly string[]])[] = [
  ["one that is as it should be", FIRST, []],
  ["one behind another for everything", { priority: "-1", applies_to_all: true }, ["SHADOWED"]],
  ["one that applies to nothing", { priority: "1" }, ["APPLIES_TO_NOTHING"]],
  ["an empty target", { priority: "1", target: {} }, ["APPLIES_TO_NOTHING"]],
  ["an empty filter", { priority: "1", filter: {} }, ["APPLIES_TO_NOTHING"]],
  ["no country at all", { ...FIRST, geo_restrictions_allow: {} }, ["EMPTY_GEOGRAPHY"]],
  [
    "no country of those concerned",
    { ...FIRST, geo_restrictions_disallow: DE, geo_applicability_apply: DE },
    ["EMPTY_GEOGRAPHY"],
  ],
  ["quality without DRM", { ...FIRST, drm: { hws_minimum_quality: 1 } }, ["QUALITY_WITHOUT_DRM"]],
  [
    "a filter that matches nothing",
    { priority: "1", filter: { filter_events: NOTHING, filter_creative_works: NOTHING } },
    ["FILTER_MATCHES_NOTHING"],
  ],
  [
    "a filter of one kind that matches nothing",
    { priority: "1", filter: { filter_events: `id: ${NOTHING}` } },
    ["FILTER_MATCHES_NOTHING"],
  ],
  [
    "a filter that matches an event only",
    { priority: "1", filter: { filter_events: "id: *", filter_creative_works: NOTHING } },
    [],
  ],
  [
    "a filter that matches a creative work only",
    { priority: "1", filter: { filter_events: NOTHING, filter_creative_works: "id: *" } },
    [],
  ],
  [
    "a filter that matches a single event",
    { priority: "1", filter: { filter_events: "id: match-2026-104" } },
    [],
  ],
  [
    "a filter that matches in the past",
    { priority: "1", filter: { filter_events: "start_time < now" } },
    [],
  ],
  [
    "several at once",
    { drm: { hws_minimum_quality: 1 }, geo_restrictions_allow: {}, priority: "-1" },
    ["SHADOWED", "APPLIES_TO_NOTHING", "EMPTY_GEOGRAPHY", "QUALITY_WITHOUT_DRM"],
  ],
];

for (const face of RULESET_FACES) {
  describe(`the header Marquee-Warnings over ${face}`, () => {
    const { make, update } = changeRulesets(marquee, face);
    const createWith = (fields: RulesetFields) =>
      callRulesets(marquee, face)("create", {
        video_protection_ruleset: { project_id: "worldcup", name: "W", ...fields },
      });

    for (const [what, fields, want] of CASES) {
      test(`${what}: ${want.join(", ") || "no header"}`, async () => {
        const created = await createWith({ ...fields, disabled: true });
        expect([created.status, codesOf(created)]).toEqual([200, want]);
        if (want.length === 0) expect(created.headers.get("marquee-warnings")).toBeNull();
      });

      test(`${what}, by an update: ${want.join(", ") || "no header"}`, async () => {
        const { id } = await make({ priority: "2" });
        const changed = await update(id, fields, Object.keys(fields).join(","));
        expect([changed.status, codesOf(changed)]).toEqual([200, want]);
      });
    }

    test("is a JSON array of code and message", async () => {
      const [warning] = warningsOf(await createWith({ priority: "1" }));
      expect(Object.keys(warning ?? {})).toEqual(["code", "message"]);
      expect(warning?.message).toBe("applies to no video");
    });

    test("is ASCII, also where an id is not", async () => {
      const id = 'é"\u{1f600}\u007f';
      const init = { id, projectId: "worldcup", name: "R", priority: 5n };
      const applicability = { case: "appliesToAll" as const, value: true };
      const shadow = create(VideoProtectionRulesetSchema, { ...init, applicability });
      await marquee.store.in("org-worldcup").documents.ruleset.create(shadow);
      const got = await createWith({ priority: "4", applies_to_all: true });
      expect(got.headers.get("marquee-warnings")).toMatch(/^[ -~]+$/);
      expect(warningsOf(got)[0]?.message).toContain(`ruleset '${id}'`);
    });

    test("comes with no answer but those of writing", async () => {
      const { id } = await make({ priority: "1" });
      const call = callRulesets(marquee, face);
      for (const got of [
        await call("get", { ruleset_id: id }),
        await call("list", { project_id: "worldcup" }),
        await update(id, {}, "nothing"),
        await call("delete", { ruleset_id: id }),
      ]) {
        expect(got.headers.get("marquee-warnings")).toBeNull();
      }
    });
  });
}
