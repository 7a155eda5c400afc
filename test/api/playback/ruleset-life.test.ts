import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { type HttpAnswer, refusal } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callStudio, STUDIO_FACES } from "../studio.ts";
import { callRulesets, RULESET_FACES, rulesetOf, toSnakeCase } from "./rulesets.ts";

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
        expect(refusal(await call(method, { ruleset_id }))).toEqual([404, "RESOURCE_NOT_FOUND"]);
      }
      const left = await call("list", { project_id: "worldcup", page_size: 1_000 });
      expect(left.text).not.toContain(ruleset_id);
    });
  });
}

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

// In the order of code points, which is neither that of a language nor that of UTF-16.
for (const id of ["\u{1f600}", "b", "B", "é", "\uff61"]) {
  const init = { id, projectId: "sandbox", name: id };
  await marquee.store
    .in("org-worldcup")
    .documents.ruleset.create(create(VideoProtectionRulesetSchema, init));
}

const SANDBOX = ["B", "b", "sandbox-ruleset-default", "é", "\uff61", "\u{1f600}"];
const WORLD_CUP = [
  "ruleset-default",
  "ruleset-finals",
  "ruleset-opening-2018",
  "ruleset-subscribers",
];
const idsOf = ({ json }: HttpAnswer): string[] =>
  (toSnakeCase(json).video_protection_rulesets ?? []).map((it: { id: string }) => it.id);
const tokenOf = ({ json }: HttpAnswer): string => toSnakeCase(json).next_page_token ?? "";

for (const face of RULESET_FACES) {
  describe(`listing rulesets over ${face}`, () => {
    const list = (message: Readonly<Record<string, unknown>>, token = marquee.tokens.owner) =>
      callRulesets(marquee, face)("list", { project_id: "sandbox", ...message }, { token });

    test("shows those of the project alone, by id", async () => {
      expect(idsOf(await list({}))).toEqual(SANDBOX);
      const got = await list({ project_id: "worldcup" });
      expect([idsOf(got), tokenOf(got)]).toEqual([WORLD_CUP, ""]);
    });

    for (const page_size of [1, 2, 5, 6, 7]) {
      test(`pages of ${page_size} cover every ruleset once`, async () => {
        const seen: string[] = [];
        let page_token = "";
        do {
          const got = await list({ page_size, page_token });
          expect(idsOf(got).length).toBeLessThanOrEqual(page_size);
          seen.push(...idsOf(got));
          page_token = tokenOf(got);
        } while (page_token !== "");
        expect(seen).toEqual(SANDBOX);
      });
    }

    test("goes on behind a ruleset that was deleted, and shows new ones", async () => {
      const init = { projectId: "sandbox", name: "N" };
      const { ruleset } = marquee.store.in("org-worldcup").documents;
      await ruleset.create(create(VideoProtectionRulesetSchema, { ...init, id: "A" }));
      const first = await list({ page_size: 1 });
      expect(idsOf(first)).toEqual(["A"]);
      await ruleset.delete("A", () => undefined);
      const rest = await list({ page_size: 10, page_token: tokenOf(first) });
      expect(idsOf(rest)).toEqual(SANDBOX);
    });

    test("a negative size and a token of anything else are refused", async () => {
      expect(refusal(await list({ page_size: -1 }))).toEqual([400, "PAGE_SIZE_INVALID"]);
      const page_token = tokenOf(await list({ page_size: 1 }));
      const ofOwner = tokenOf(await list({ page_size: 1, project_id: "worldcup" }));
      const foreign = [
        await list({ page_token: "x" }),
        await list({ page_token: `${page_token}A` }),
        await list({ page_token, project_id: "worldcup" }),
        await list({ page_token: ofOwner, project_id: "worldcup" }, marquee.tokens.viewer),
      ];
      for (const got of foreign) {
        expect(refusal(got)).toEqual([400, "PAGE_TOKEN_INVALID"]);
      }
    });

    test("a size over 1000 is 1000, and the role viewer may list", async () => {
      const { viewer, outsider } = marquee.tokens;
      const got = await list({ project_id: "worldcup", page_size: 2_147_483_647 }, viewer);
      expect([got.status, idsOf(got)]).toEqual([200, WORLD_CUP]);
      expect(refusal(await list({ project_id: "worldcup" }, outsider))).toEqual([
        404,
        "RESOURCE_NOT_FOUND",
      ]);
      expect(refusal(await list({ project_id: "" }))).toEqual([400, "FIELD_REQUIRED"]);
    });
  });
}

const RULESET = { projectId: "worldcup", name: "R", disabled: true };

for (const face of STUDIO_FACES) {
  const call = callStudio(marquee, RulesetService, face);
  const create = (more: object, fields: object = {}) =>
    call("CreateRuleset", { videoProtectionRuleset: { ...RULESET, ...fields }, ...more });
  const get = (rulesetId: string) => call("GetRuleset", { rulesetId });

  describe(`creating a ruleset over ${face}`, () => {
    test("names as many videos as a list may hold", async () => {
      const videoIds = Array.from({ length: 10_000 }, (_, index) => `video-${index}`);
      const got = await create({}, { target: { videoIds } });
      expect(got.status, got.text.slice(0, 300)).toBe(200);
      const { id } = got.value.videoProtectionRuleset;
      const read = await get(id);
      expect(read.value.videoProtectionRuleset.target.videoIds).toEqual(videoIds);
      expect((await call("DeleteRuleset", { rulesetId: id })).status).toBe(200);
    });
  });
}
