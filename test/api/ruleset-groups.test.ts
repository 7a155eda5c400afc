import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reasonOf } from "../harness/http.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { changeRulesets, RULESET_FACES, type RulesetFields } from "./rulesets.ts";

let marquee: Marquee;
beforeAll(async () => {
  marquee = await startMarquee();
});
afterAll(() => marquee.close());

const DE = { country_codes: ["DE"] };
const AT = { country_codes: ["AT"] };
const TARGET = {
  entity_ids: ["team-esp"],
  event_ids: ["match-2026-104"],
  creative_work_ids: ["highlights-2026-104"],
  video_ids: ["video-match-2026-104"],
};
const FILTER = { filter_events: "content_type: match", filter_creative_works: "id: *" };
/** The members of every group, each with a value. */
const GROUPS: Readonly<Record<string, RulesetFields>> = {
  geo_restrictions: {
    geo_restrictions_disallow: DE,
    geo_restrictions_allow: AT,
    allow_all_geographies: true,
  },
  domain_restrictions: { domains: { domains: ["a.example"] }, allow_all_domains: true },
  geo_applicability: { geo_applicability_exempt: DE, geo_applicability_apply: AT },
  applicability: { applies_to_all: true, target: TARGET, filter: FILTER },
};

for (const face of RULESET_FACES) {
  const { make, update, read } = changeRulesets(() => marquee, face);

  describe(`the groups of a ruleset over ${face}`, () => {
    for (const [group, members] of Object.entries(GROUPS)) {
      for (const [from, value] of Object.entries(members)) {
        for (const [to, next] of Object.entries(members)) {
          test(`${group}: naming ${to} switches from ${from}`, async () => {
            const { id } = await make({ [from]: value });
            const got = await update(id, { [to]: next }, to);
            expect([got.status, await read(id)]).toEqual([200, { [to]: next }]);
          });

          test(`${group}: naming ${to} without a value clears ${from}`, async () => {
            const { id } = await make({ [from]: value, priority: "7" });
            // What the mask does not name is ignored, the member that is set too.
            const got = await update(id, to === from ? {} : { [from]: value }, to);
            expect([got.status, await read(id)]).toEqual([200, { priority: "7" }]);
          });
        }

        if (value !== true) continue;
        test(`${group}: ${from} false counts as not sent`, async () => {
          const [other = ""] = Object.keys(members).filter((name) => name !== from);
          const { id } = await make({ [other]: members[other] });
          const beside = { [from]: false, [other]: members[other] };
          expect((await update(id, beside, other)).status).toBe(200);
          expect(await read(id)).toEqual({ [other]: members[other] });
          expect((await update(id, { [from]: false }, from)).status).toBe(200);
          expect(await read(id)).toEqual({});
        });
      }

      test(`${group}: two members in the mask, or in the body, are refused`, async () => {
        const [first = "", second = ""] = Object.keys(members);
        const { id } = await make({ [first]: members[first] });
        const before = await read(id);
        const both = { [first]: members[first], [second]: members[second] };
        for (const got of [
          await update(id, { [first]: members[first] }, `${first},${second}`),
          await update(id, {}, `name,${second},${first}`),
          await update(id, both, first),
        ]) {
          expect([got.status, reasonOf(got)]).toEqual([400, "ONEOF_CONFLICT"]);
          expect(got.json.message).toContain(first);
          expect(got.json.message).toContain(second);
        }
        expect(await read(id)).toEqual(before);
      });

      test(`${group}: a mask of other fields leaves it alone`, async () => {
        const [first = ""] = Object.keys(members);
        const { id } = await make({ [first]: members[first] });
        await update(id, { name: "N" }, "name");
        expect(await read(id)).toEqual({ [first]: members[first] });
      });
    }
  });
}
