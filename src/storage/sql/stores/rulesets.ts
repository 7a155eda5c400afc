import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { RulesetStore } from "../../contract/playback.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inReadTransaction } from "../base/in-transaction.ts";
import { BYTES, readDocuments } from "../base/read-documents.ts";

/** Video protection rulesets, for playback. */
export class SqlRulesetStore extends ConnectedStore implements RulesetStore {
  list(projectId: string): Promise<readonly VideoProtectionRuleset[]> {
    return inReadTransaction(this.connections, projectId, async (tx) => {
      const select = build.selectFrom("ruleset").select(["id", BYTES]);
      const rows = await tx.all(select.where("project_id", "=", projectId).orderBy("id"));
      const rulesets: VideoProtectionRuleset[] = [];
      for await (const { value } of readDocuments(tx, RULESETS, projectId, rows)) {
        rulesets.push(value);
      }
      return rulesets;
    });
  }
}

const RULESETS = { table: "ruleset", schema: VideoProtectionRulesetSchema } as const;
