import type { DescField } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { RulesetService } from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { reasonOf } from "../harness/http.ts";
import { authorize } from "../harness/transports.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { changeRulesets, RULESET_FACES, type RulesetFields } from "./rulesets.ts";

const marquee = await useMarquee();

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
  const { make, update, read } = changeRulesets(marquee, face);

  describe(`the groups of a ruleset over ${face}`, () => {
    for (const [group, members] of Object.entries(GROUPS)) {
      const [first = "", second = ""] = Object.keys(members);
      const neutral = Object.keys(members).find((name) => name !== first && members[name] === true);

      test(`${group}: a neutral value clears only its own member`, async () => {
        const kept = { priority: "7", [first]: members[first] };
        const { id } = await make(kept);
        for (const sent of [{}, ...(neutral === undefined ? [] : [{ [neutral]: false }])]) {
          expect((await update(id, sent, neutral ?? second)).status).toBe(200);
          expect(await read(id)).toEqual(kept);
        }
        expect((await update(id, { [second]: members[second] }, second)).status).toBe(200);
        expect(await read(id)).toEqual({ priority: "7", [second]: members[second] });
        expect((await update(id, {}, second)).status).toBe(200);
        expect(await read(id)).toEqual({ priority: "7" });
      });

      test(`${group}: two values in the body are refused`, async () => {
        const { id } = await make({ [first]: members[first] });
        const before = await read(id);
        const both = { [first]: members[first], [second]: members[second] };
        for (const mask of [first, `${first},${second}`, "name"]) {
          const got = await update(id, both, mask);
          expect([got.status, reasonOf(got)]).toEqual([400, "ONEOF_CONFLICT"]);
          expect(got.json.message).toContain(first);
          expect(got.json.message).toContain(second);
        }
        expect(await read(id)).toEqual(before);
      });

      test(`${group}: a mask of other fields leaves it alone`, async () => {
        const { id } = await make({ [first]: members[first] });
        await update(id, { name: "N" }, "name");
        expect(await read(id)).toEqual({ [first]: members[first] });
      });

      test(`${group}: a new ruleset has false beside another member for not sent`, async () => {
        const [other = ""] = Object.keys(members).filter((name) => members[name] !== true);
        for (const fields of neutral === undefined
          ? []
          : [
              { [neutral]: false, [other]: members[other] },
              { [other]: members[other], [neutral]: false },
            ]) {
          const { id } = await make(fields);
          expect(await read(id)).toEqual({ [other]: members[other] });
        }
      });
    }
  });
}

describe("the groups of a ruleset in binary", () => {
  const text = (field: DescField) => field.localName;
  for (const group of VideoProtectionRulesetSchema.oneofs) {
    test(`${group.name}: a neutral value clears only its own member`, async () => {
      const client = createClient(
        RulesetService,
        createConnectTransport({
          baseUrl: marquee.url,
          httpVersion: "1.1",
          useBinaryFormat: true,
          interceptors: [authorize(marquee.tokens.owner)],
        }),
      );
      const toGroup = (field: DescField, isNeutral: boolean) => ({
        [group.localName]: {
          case: text(field),
          value: field.fieldKind === "scalar" ? !isNeutral : {},
        },
      });
      for (const stored of group.fields) {
        const { videoProtectionRuleset } = await client.createRuleset({
          videoProtectionRuleset: { projectId: "worldcup", name: "R", ...toGroup(stored, false) },
        });
        const rulesetId = videoProtectionRuleset?.id ?? "";
        for (const named of group.fields) {
          if (named === stored) continue;
          const isBoolean = named.fieldKind === "scalar";
          for (const sent of [{}, ...(isBoolean ? [toGroup(named, true)] : [])]) {
            const got = await client.updateRuleset({
              rulesetId,
              videoProtectionRuleset: sent,
              updateMask: { paths: [named.name] },
            });
            expect(got.videoProtectionRuleset).toMatchObject(toGroup(stored, false));
          }
        }
        const cleared = await client.updateRuleset({
          rulesetId,
          videoProtectionRuleset: {},
          updateMask: { paths: [stored.name] },
        });
        expect(cleared.videoProtectionRuleset).toMatchObject({
          [group.localName]: { case: undefined },
        });
      }
    });
  }
});
