import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { type HttpAnswer, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callRulesets, RULESET_FACES, toSnakeCase } from "./rulesets.ts";

const marquee = await useMarquee();
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
      const negative = await list({ page_size: -1 });
      expect([negative.status, reasonOf(negative)]).toEqual([400, "PAGE_SIZE_INVALID"]);
      const page_token = tokenOf(await list({ page_size: 1 }));
      const ofOwner = tokenOf(await list({ page_size: 1, project_id: "worldcup" }));
      const foreign = [
        await list({ page_token: "x" }),
        await list({ page_token: `${page_token}A` }),
        await list({ page_token, project_id: "worldcup" }),
        await list({ page_token: ofOwner, project_id: "worldcup" }, marquee.tokens.viewer),
      ];
      for (const got of foreign) {
        expect([got.status, reasonOf(got)]).toEqual([400, "PAGE_TOKEN_INVALID"]);
      }
    });

    test("a size over 1000 is 1000, and the role viewer may list", async () => {
      const { viewer, outsider } = marquee.tokens;
      const got = await list({ project_id: "worldcup", page_size: 2_147_483_647 }, viewer);
      expect([got.status, idsOf(got)]).toEqual([200, WORLD_CUP]);
      const other = await list({ project_id: "worldcup" }, outsider);
      expect([other.status, reasonOf(other)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
      const none = await list({ project_id: "" });
      expect([none.status, reasonOf(none)]).toEqual([400, "FIELD_REQUIRED"]);
    });
  });
}
