import { sql } from "kysely";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { checkRulesetSizes } from "../../../domain/protection/prepare.ts";
import type { RulesetStore } from "../../contract/playback.ts";
import { onlyRow, type Tx } from "../../db/db.ts";
import { build, prepare, type SlotOf } from "../../db/query.ts";
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

/** Checks that the rulesets of a project are not too many or too large. RESOURCE_EXHAUSTED `RULESET_LIMIT`. */
export async function checkRulesetsFit(
  tx: Tx,
  { projectId }: Pick<VideoProtectionRuleset, "projectId">,
): Promise<void> {
  const { count, bytes } = onlyRow(await tx.all(SELECT_SIZES({ projectId })));
  checkRulesetSizes({ count: Number(count), bytes: Number(bytes) });
}

const SELECT_SIZES = prepare((slot: SlotOf<{ readonly projectId: string }>) =>
  build
    .selectFrom("ruleset")
    .select(({ fn }) => [
      fn.countAll<number>().as("count"),
      sql<number | string>`sum(octet_length(doc))`.as("bytes"),
    ])
    .where("project_id", "=", slot("projectId")),
);

const RULESETS = { table: "ruleset", schema: VideoProtectionRulesetSchema } as const;
