import { describe, expect, test } from "vitest";
import { reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callRulesets, RULESET_FACES, rulesetOf } from "./rulesets.ts";

const marquee = await useMarquee();

/** One value of every field that a ruleset can have, as it is sent. */
const FULL = {
  project_id: "worldcup",
  name: "Everything",
  geo_restrictions_allow: { country_codes: ["de", "AT"] },
  disallow_vpn_usage: true,
  disallow_hotlinking: false,
  domains: { domains: ["worldcup.example"] },
  require_authentication: true,
  require_entitlement: true,
  disabled: true,
  geo_applicability_exempt: { country_codes: ["ru"] },
  target: { video_ids: ["video-match-2026-104"], content_start_time: "2026-06-11T19:00:00Z" },
  drm: { enabled: true, hws_minimum_quality: 720, split_keys: true },
  enforce_concurrency_limits: false,
  priority: "9223372036854775807",
};
const KEPT = {
  ...FULL,
  geo_restrictions_allow: { country_codes: ["DE", "AT"] },
  geo_applicability_exempt: { country_codes: ["RU"] },
};

for (const face of RULESET_FACES) {
  describe(`a ruleset's life over ${face}`, () => {
    test("is the same from its creation to its end", async () => {
      const call = callRulesets(marquee, face);
      const created = await call("create", { video_protection_ruleset: FULL });
      expect([created.status, created.text.slice(0, 1)]).toEqual([200, "{"]);
      const ruleset = rulesetOf(created);
      const ruleset_id = String(ruleset.id);
      const target = expect.objectContaining(KEPT.target);
      expect(ruleset).toEqual({ ...KEPT, target, id: ruleset_id });

      const got = await call("get", { ruleset_id });
      expect([got.status, rulesetOf(got)]).toEqual([200, ruleset]);
      expect(got.headers.get("etag")).toBe(created.headers.get("etag"));

      const listed = await call("list", { project_id: "worldcup", page_size: 1_000 });
      expect(listed.text).toContain(ruleset_id);

      const changed = await call("update", {
        ruleset_id,
        video_protection_ruleset: { name: "Nearly everything" },
        update_mask: "name",
      });
      expect([changed.status, rulesetOf(changed)]).toEqual([
        200,
        { ...ruleset, name: "Nearly everything" },
      ]);
      const again = await call("get", { ruleset_id });
      expect(rulesetOf(again)).toEqual(rulesetOf(changed));
      expect(again.headers.get("etag")).toBe(changed.headers.get("etag"));
      expect(again.headers.get("etag")).not.toBe(got.headers.get("etag"));

      const deleted = await call("delete", { ruleset_id });
      expect([deleted.status, deleted.json]).toEqual([200, {}]);
      for (const method of ["get", "delete"] as const) {
        const gone = await call(method, { ruleset_id });
        expect([gone.status, reasonOf(gone)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
      }
      const left = await call("list", { project_id: "worldcup", page_size: 1_000 });
      expect(left.text).not.toContain(ruleset_id);
    });
  });
}
