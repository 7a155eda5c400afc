import { afterEach, describe, expect, test } from "vitest";
import { reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { playCases, toCases } from "./cases.ts";
import { RULESET_FACES } from "./rulesets.ts";
import { createSimulations, deleteMade, EVENT, findBuyer, rulesOf, VIDEO } from "./simulations.ts";

/** A user with an entitlement to the video. */
let buyer = "";
const marquee = await useMarquee();
buyer = await findBuyer(marquee);
afterEach(() => deleteMade(marquee));

const AUTH = { require_authentication: true };
const COUNTED = { ...AUTH, require_entitlement: true, enforce_concurrency_limits: true };

for (const face of RULESET_FACES) {
  const { update, simulate, decideBy } = createSimulations(marquee, face);

  describe(`a simulation over ${face}`, () => {
    test("looks no entitlement up behind a rule that denies, and names all that deny", async () => {
      await decideBy({ ...COUNTED, geo_restrictions_allow: {}, disallow_vpn_usage: true });
      const got = await simulate({ viewer: { vpn: true, user_id: buyer } });
      expect(got.json.reason).toBe("GEO_NOT_ALLOWED");
      expect(rulesOf(got).map((it) => it.outcome)).toEqual([
        ...["fail", "fail", "not_set", "not_set", "pass", "skipped", "skipped"],
      ]);
    });

    test("takes no stream, however often it is asked, and says so", async () => {
      await decideBy(COUNTED);
      for (let round = 0; round < 10; round += 1) {
        const got = await simulate({ viewer: { user_id: buyer } });
        expect(got.json.decision).toBe("DECISION_ALLOW");
        expect(rulesOf(got).at(-1)?.detail).toContain("as if a stream is free");
      }
    });

    test("without a viewer is of somebody of whom nothing is known", async () => {
      const { id } = await decideBy(AUTH);
      expect((await simulate()).json).toMatchObject({
        decision: "DECISION_DENY",
        reason: "AUTHENTICATION_REQUIRED",
        ruleset_id: id,
      });
    });

    test("decides by the time it is given, and by now without one", async () => {
      const { id } = await decideBy({
        applies_to_all: undefined,
        target: undefined,
        filter: { filter_events: `id: "${EVENT}" and start_time > now` },
        geo_restrictions_allow: {},
      });
      const before = await simulate({ time: "2026-06-01T00:00:00Z" });
      expect([before.json.decision, before.json.ruleset_id]).toEqual(["DECISION_DENY", id]);
      const after = await simulate({ time: "2027-06-01T00:00:00Z" });
      expect(after.json.ruleset_id).toBe("ruleset-default");
      await update(id, { filter: { filter_events: "start_time < now+5200w" } }, "filter");
      expect((await simulate({ time: undefined })).json.ruleset_id).toBe(id);
    });

    test("lists what applies to the viewer, the highest priority and smallest id first", async () => {
      const made = [];
      for (const priority of ["7", "-9223372036854775808", "9223372036854775807", "7"]) {
        made.push((await decideBy({ priority })).id);
      }
      const elsewhere = { geo_applicability_apply: { country_codes: ["FR"] } };
      const { id: french } = await decideBy(elsewhere);
      const [a = "", last = "", first = "", b = ""] = made;
      const want = [first, ...[a, b].sort(), "ruleset-default", last];
      const got = await simulate({ viewer: { country_code: "DE" } });
      expect(got.json.applicable_ruleset_ids).toEqual(want);
      expect(got.json.ruleset_id).toBe(first);
      const inFrance = await simulate({ viewer: { country_code: "FR" } });
      expect(inFrance.json.applicable_ruleset_ids).toContain(french);
    });

    test("shows what looks wrong with the ruleset that decides", async () => {
      expect((await simulate()).json.warnings ?? []).toEqual([]);
      await decideBy({ drm: { hws_minimum_quality: 1 }, geo_restrictions_allow: {} });
      const codes = (await simulate()).json.warnings.map((it: { code: string }) => it.code);
      expect(codes).toEqual(["EMPTY_GEOGRAPHY", "QUALITY_WITHOUT_DRM"]);
    });

    test("without any ruleset allows and names none", async () => {
      const { ruleset } = marquee.store.in("org-worldcup").documents;
      const kept = await ruleset.get("ruleset-default");
      await ruleset.delete("ruleset-default", () => undefined);
      const got = await simulate();
      await ruleset.create(kept.value);
      expect(got.json.decision).toBe("DECISION_ALLOW");
      const { ruleset_id = "", reason = "", rules = [], applicable_ruleset_ids = [] } = got.json;
      expect([ruleset_id, reason, rules, applicable_ruleset_ids]).toEqual(["", "", [], []]);
    });

    test("of a video that is not the project's is 404", async () => {
      for (const video_id of ["nothing", "sandbox-video-1", VIDEO.toUpperCase(), `${VIDEO}"`]) {
        const got = await simulate({ video_id });
        expect([got.status, reasonOf(got)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
      }
      const other = await simulate({ project_id: "sandbox" });
      expect([other.status, reasonOf(other)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
    });
  });
}

playCases(
  marquee,
  "a simulation",
  toCases(
    {
      call: "streaming.ruleset.v2.RulesetService/SimulateRulesets",
      body: (it: object) => ({ projectId: "worldcup", videoId: VIDEO, ...it }),
    },
    [
      ...["XX", "ß", " DE"].map(
        (countryCode) =>
          [{ viewer: { countryCode } }, "COUNTRY_CODE_INVALID viewer.country_code"] as const,
      ),
      ...["1.2.3", "192.0.2.1:80", "::g"].map(
        (ipAddress) => [{ viewer: { ipAddress } }, "ADDRESS_INVALID viewer.ip_address"] as const,
      ),
      [{ videoId: "" }, "FIELD_REQUIRED video_id"],
      [{ projectId: "" }, "FIELD_REQUIRED project_id"],
      [{ viewer: { country: "DE" } }, "FIELD_UNKNOWN viewer.country"],
    ],
  ),
);
