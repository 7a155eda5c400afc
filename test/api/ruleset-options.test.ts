import { describe, expect, test } from "vitest";
import { RulesetService } from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
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
