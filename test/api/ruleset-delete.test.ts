import { describe, expect, test } from "vitest";
import { useMarquee } from "../harness/use-marquee.ts";
import { callRulesets, RULESET_FACES, rulesetOf, toSnakeCase } from "./rulesets.ts";

const marquee = await useMarquee();

const VIDEO = "video-match-2026-104";

for (const face of RULESET_FACES) {
  const call = callRulesets(marquee, face);
  const make = async (fields: object = {}) => {
    const ruleset = { project_id: "worldcup", name: "R", priority: "1000", ...fields };
    const got = await call("create", { video_protection_ruleset: ruleset });
    return { ruleset_id: String(rulesetOf(got).id), etag: got.headers.get("etag") ?? "" };
  };
  const decide = async () => {
    const message = { project_id: "worldcup", video_id: VIDEO, viewer: { country_code: "DE" } };
    const { decision, ruleset_id } = toSnakeCase((await call("simulate", message)).json);
    return [decision, ruleset_id];
  };

  describe(`deleting a ruleset over ${face}`, () => {
    test("of ten calls at the same moment one does it", async () => {
      const { ruleset_id } = await make();
      const got = await Promise.all(
        Array.from({ length: 10 }, () => call("delete", { ruleset_id })),
      );
      const statuses = got.map((it) => it.status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 404)]);
    });

    test("ends its part in decisions at once, being disabled does not", async () => {
      const before = await decide();
      const { ruleset_id } = await make({ applies_to_all: true, geo_restrictions_allow: {} });
      expect(await decide()).toEqual(["DECISION_DENY", ruleset_id]);
      await call("update", {
        ruleset_id,
        video_protection_ruleset: { disabled: true },
        update_mask: "disabled",
      });
      expect(await decide()).toEqual(["DECISION_DENY", ruleset_id]);
      await call("update", {
        ruleset_id,
        video_protection_ruleset: { allow_all_geographies: true },
        update_mask: "allow_all_geographies",
      });
      expect(await decide()).toEqual(["DECISION_ALLOW", ruleset_id]);
      await call("delete", { ruleset_id });
      expect(await decide()).toEqual(before);
    });

    test("ends its part in lists without what is geoblocked at once", async () => {
      const { ruleset_id } = await make({ applies_to_all: true, geo_restrictions_allow: {} });
      expect(await countEvents()).toBe(0);
      await call("delete", { ruleset_id });
      expect(await countEvents()).toBeGreaterThan(0);
    });
  });
}

async function countEvents(): Promise<number> {
  const message = encodeURIComponent(JSON.stringify({ pageSize: 5, excludeGeoblocked: true }));
  const response = await fetch(
    `${marquee.url}/svc.cda.cms.event.v1.EventService/ListEvents?encoding=json&message=${message}`,
    { headers: { authorization: `Bearer ${marquee.keys.public}` } },
  );
  const { events = [] } = (await response.json()) as { events?: unknown[] };
  return events.length;
}
