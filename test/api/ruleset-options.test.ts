import { describe, expect, test } from "vitest";
import { RulesetService } from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callStudio, STUDIO_FACES } from "./studio.ts";

const marquee = await useMarquee();

const RULESET = { projectId: "worldcup", name: "R", disabled: true };

for (const face of STUDIO_FACES) {
  const call = callStudio(marquee, RulesetService, face);
  const create = (more: object, fields: object = {}) =>
    call("CreateRuleset", { videoProtectionRuleset: { ...RULESET, ...fields }, ...more });
  const get = (rulesetId: string) => call("GetRuleset", { rulesetId });

  describe(`creating a ruleset over ${face}`, () => {
    test("takes the id that is chosen, once", async () => {
      const rulesetId = `chosen.${face.length}`;
      const got = await create({ rulesetId });
      expect(got.value.videoProtectionRuleset).toMatchObject({ ...RULESET, id: rulesetId });
      expect((await get(rulesetId)).value).toEqual(got.value);
      const again = await create({ rulesetId });
      expect([again.status, reasonOf(again)]).toEqual([409, "ALREADY_EXISTS"]);
      const wrong = await create({ rulesetId: "a/b" });
      expect([wrong.status, reasonOf(wrong)]).toEqual([400, "ID_INVALID"]);
    });

    test("is done once for a request id, whose answer keeps its tag and warnings", async () => {
      const requestId = `ruleset-${face.length}`;
      const [first, again] = [await create({ requestId }), await create({ requestId })];
      expect([again.status, again.value]).toEqual([200, first.value]);
      for (const name of ["etag", "marquee-warnings"]) {
        expect(first.headers.get(name)).not.toBeNull();
        expect(again.headers.get(name)).toBe(first.headers.get(name));
      }
      const other = await create({ requestId }, { name: "Other" });
      expect([other.status, reasonOf(other)]).toEqual([409, "REQUEST_ID_REUSED"]);
    });

    test("is not done to be tried, nor are changes and deletions", async () => {
      const rulesetId = `tried.${face.length}`;
      expect((await create({ rulesetId, validateOnly: true })).status).toBe(200);
      expect((await get(rulesetId)).status).toBe(404);
      const wrong = await create({ validateOnly: true }, { requireEntitlement: true });
      expect([wrong.status, reasonOf(wrong)]).toEqual([400, "RULE_DEPENDENCY"]);
      const made = await create({ rulesetId });
      const changed = await call("UpdateRuleset", {
        rulesetId,
        videoProtectionRuleset: { name: "Changed" },
        updateMask: "name",
        validateOnly: true,
      });
      expect(changed.value.videoProtectionRuleset.name).toBe("Changed");
      expect((await call("DeleteRuleset", { rulesetId, validateOnly: true })).status).toBe(200);
      expect((await get(rulesetId)).value).toEqual(made.value);
    });

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

  describe(`listing rulesets over ${face}`, () => {
    test("takes a filter and an order", async () => {
      const name = `Listed ${face.length}`;
      const ids = ["a", "b", "c"].map((it) => `${it}-${face.length}`);
      for (const rulesetId of ids) await create({ rulesetId }, { name });
      const list = async (order: string) => {
        const filter = `name: "${name}" and disabled: true`;
        const got = await call("ListRulesets", { projectId: "worldcup", filter, order });
        return got.value.videoProtectionRulesets.map((it: { id: string }) => it.id);
      };
      expect(await list("")).toEqual(ids);
      expect(await list("id desc")).toEqual(ids.toReversed());
      for (const [message, reason] of [
        [{ order: "name asc" }, "ORDER_INVALID"],
        [{ filter: "name:" }, "KQL_SYNTAX"],
      ] as const) {
        const got = await call("ListRulesets", { projectId: "worldcup", ...message });
        expect([got.status, reasonOf(got)]).toEqual([400, reason]);
      }
    });
  });
}
