import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { ALPHA, createSmallDataset, GAMMA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };

const LISTED = createSmallDataset({
  rulesets: [
    ...["\u{1f600}", "a", "é", "A"].map((id) =>
      create(VideoProtectionRulesetSchema, { id, projectId: ALPHA }),
    ),
    create(VideoProtectionRulesetSchema, {
      id: "g",
      projectId: GAMMA,
      name: "G",
      priority: 2n ** 63n - 1n,
    }),
  ],
});

/** Holds the reads of rulesets and videos by delivery. */
export function rulesetContract(scenario: Scenario): void {
  scenario("rulesets are listed by id, those of the project alone", LISTED, async (store) => {
    const late = create(VideoProtectionRulesetSchema, { id: "\uff61", projectId: ALPHA });
    await store.in("acme").documents.ruleset.create(late);
    for (const [projectId, want] of [
      [ALPHA, ["A", "a", "é", "\uff61", "\u{1f600}"]],
      [GAMMA, ["g"]],
      ["Alpha", []],
      ["nowhere", []],
    ] as const) {
      expect((await store.rulesets.list(projectId)).map((it) => it.id)).toEqual(want);
    }
    expect((await store.rulesets.list(GAMMA))[0]).toEqual(LISTED.rulesets.at(-1));
  });

  scenario("a video is found in its own project alone", createSmallDataset(), async (store) => {
    expect((await store.videos.get({ projectId: ALPHA, id: "video-1" })).id).toBe("video-1");
    for (const key of [
      { projectId: GAMMA, id: "video-1" },
      { projectId: ALPHA, id: "Video-1" },
      { projectId: ALPHA, id: "" },
    ]) {
      await expect(store.videos.get(key)).rejects.toMatchObject(NOT_FOUND);
    }
  });
}
