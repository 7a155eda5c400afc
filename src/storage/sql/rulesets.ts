import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { build } from "../db/query.ts";
import type { RulesetStore } from "../store.ts";
import type { Connections } from "./connections.ts";
import { readDocument } from "./stored-document.ts";

/** Creates the store of video protection rulesets. */
export function createRulesetStore({ read }: Connections): RulesetStore {
  return {
    async list(projectId) {
      const rows = await read.all(
        build.selectFrom("ruleset").select("doc").where("project_id", "=", projectId).orderBy("id"),
      );
      return rows.map((row) => readDocument(VideoProtectionRulesetSchema, row.doc));
    },
  };
}
