import type { DescField } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { metadataOf, reasonOf, refusal, send } from "../../harness/http.ts";
import { authorize } from "../../harness/transports.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { changeRulesets, RULESET_FACES, type RulesetFields, rulesetOf } from "./rulesets.ts";

const marquee = await useMarquee();

const DE = { country_codes: ["DE"] };
const FLAGS = [
  "disallow_vpn_usage",
  "disallow_hotlinking",
  "require_authentication",
  "require_entitlement",
  "enforce_concurrency_limits",
];

for (const face of RULESET_FACES) {
  const { make, update, read } = changeRulesets(marquee, face);

  describe(`single fields of a ruleset over ${face}`, () => {
    for (const flag of FLAGS) {
      test(`${flag} is set, said to be false and cleared`, async () => {
        const needs = { require_authentication: true, require_entitlement: true };
        const rest = Object.fromEntries(Object.entries(needs).filter(([name]) => name !== flag));
        const isNeeded = flag.startsWith("require");
        const { id } = await make(isNeeded ? {} : rest);
        const before = await read(id);
        if (flag === "require_entitlement") {
          await update(id, { require_authentication: true }, "require_authentication");
          before.require_authentication = true;
        }
        for (const value of [true, false, true, undefined, false, undefined]) {
          const got = await update(id, { [flag]: value }, flag);
          expect(got.status).toBe(200);
          expect(await read(id)).toEqual(
            value === undefined ? before : { ...before, [flag]: value },
          );
        }
      });
    }

    const singles: readonly (readonly [string, unknown])[] = [
      ["disabled", true],
      ["priority", "-9223372036854775808"],
      ["drm", { enabled: true, hws_minimum_quality: 720, split_keys: true }],
    ];
    for (const [name, value] of singles) {
      test(`${name} is changed, then cleared, and everything else stays`, async () => {
        const { id } = await make({ applies_to_all: true, disallow_vpn_usage: false });
        const before = await read(id);
        await update(id, { [name]: value, disallow_vpn_usage: true }, name);
        expect(await read(id)).toEqual({ ...before, [name]: value });
        await update(id, { disallow_vpn_usage: true }, name);
        expect(await read(id)).toEqual(before);
      });
    }

    test("the name is changed and not cleared", async () => {
      const { id } = await make();
      expect(rulesetOf(await update(id, { name: "New" }, "name")).name).toBe("New");
      for (const fields of [{}, { name: "" }, { priority: "1" }]) {
        const got = await update(id, fields, "name,priority");
        expect([got.status, reasonOf(got), metadataOf(got)?.field]).toEqual([
          ...[400, "FIELD_REQUIRED", "video_protection_ruleset.name"],
        ]);
      }
      expect(await read(id)).toEqual({});
    });

    test("what the mask does not name is ignored, an id and a project too", async () => {
      const { id } = await make();
      const more = { id: "other", project_id: "sandbox", name: "no", applies_to_all: true };
      const got = await update(id, { ...more, priority: "5" }, "priority");
      expect(rulesetOf(got)).toEqual({ id, project_id: "worldcup", name: "R", priority: "5" });
    });
  });

  describe(`what an update of a ruleset refuses over ${face}`, () => {
    for (const mask of ["", undefined, "*", "id", "project_id", "drm.enabled", "nothing"]) {
      test(`the mask ${mask ?? "that is missing"}`, async () => {
        const { id } = await make();
        const got = await update(id, { name: "no" }, mask);
        expect(refusal(got)).toEqual([400, "UPDATE_MASK_INVALID"]);
        const allowed = metadataOf(got)?.allowed?.split(",") ?? [];
        expect([allowed.length, allowed.includes("id")]).toEqual([19, false]);
      });
    }

    test("a whole that breaks a rule, by what is stored and what is sent together", async () => {
      const { id } = await make({ require_authentication: true, require_entitlement: true });
      const before = await read(id);
      const refused: readonly (readonly [RulesetFields, string, string])[] = [
        [{}, "require_authentication", "RULE_DEPENDENCY"],
        [{ require_authentication: false }, "require_authentication", "RULE_DEPENDENCY"],
        [
          { geo_restrictions_allow: { country_codes: ["XX"] } },
          "geo_restrictions_allow",
          "COUNTRY_CODE_INVALID",
        ],
        [{ domains: { domains: ["https://a.example"] } }, "domains", "DOMAIN_INVALID"],
        [{ drm: { hws_minimum_quality: -1 } }, "drm", "VALUE_OUT_OF_RANGE"],
        [{ filter: { filter_events: "a: (" } }, "filter", "KQL_SYNTAX"],
      ];
      for (const [fields, mask, reason] of refused) {
        const got = await update(id, fields, mask);
        expect([mask, got.status, reasonOf(got)]).toEqual([mask, 400, reason]);
      }
      expect(await read(id)).toEqual(before);
      const both = await update(id, {}, "require_authentication,require_entitlement");
      expect([both.status, await read(id)]).toEqual([200, {}]);
    });
  });

  describe(`changes of a ruleset at the same moment over ${face}`, () => {
    test("with different masks all survive", async () => {
      const { id } = await make();
      const changes: readonly (readonly [RulesetFields, string])[] = [
        [{ priority: "9" }, "priority"],
        [{ disabled: true }, "disabled"],
        [{ disallow_vpn_usage: false }, "disallow_vpn_usage"],
        [{ drm: { enabled: true } }, "drm"],
        [{ geo_restrictions_allow: DE }, "geo_restrictions_allow"],
        [{ allow_all_domains: true }, "allow_all_domains"],
        [{ applies_to_all: true }, "applies_to_all"],
      ];
      const got = await Promise.all(changes.map(([fields, mask]) => update(id, fields, mask)));
      expect(got.map((it) => it.status)).toEqual(changes.map(() => 200));
      const want = Object.assign({}, ...changes.map(([fields]) => fields));
      expect(await read(id)).toMatchObject(want);
      expect(new Set(got.map((it) => it.headers.get("etag"))).size).toBe(changes.length);
    });

    test("that break a rule only together are not both written", async () => {
      const { id } = await make({ require_authentication: true });
      const got = await Promise.all([
        update(id, { require_entitlement: true }, "require_entitlement"),
        update(id, { require_authentication: false }, "require_authentication"),
      ]);
      expect(got.map((it) => it.status).sort()).toEqual([200, 400]);
    });

    test("with one entity tag only one is written", async () => {
      const { id, etag } = await make();
      const got = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          update(id, { priority: `${index + 1}` }, "priority", { headers: { "if-match": etag } }),
        ),
      );
      expect(got.map((it) => it.status).sort()).toEqual([200, 409, 409, 409, 409]);
    });
  });
}

test("ids that differ in path and body are refused", async () => {
  expect(
    refusal(
      await send("PATCH", `${marquee.url}/streaming/video_protection/v2/rulesets/ruleset-default`, {
        token: marquee.tokens.owner,
        body: {
          ruleset_id: "ruleset-finals",
          video_protection_ruleset: { name: "no" },
          update_mask: "name",
        },
      }),
    ),
  ).toEqual([400, "PATH_BODY_MISMATCH"]);
});

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
          expect(refusal(got)).toEqual([400, "ONEOF_CONFLICT"]);
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
