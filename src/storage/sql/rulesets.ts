import { toBinary } from "@bufbuild/protobuf";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { RulesetStore } from "../store.ts";
import { createGetStore, readDocument } from "./documents.ts";
import { nextRevision } from "./revisions.ts";
import type { Connections } from "./schema.ts";

/** Creates the store of video protection rulesets. */
export function createRulesetStore(connections: Connections): RulesetStore {
  const { read, write } = connections;
  return {
    ...createGetStore(connections, "ruleset", VideoProtectionRulesetSchema),

    async list(projectId) {
      const rows = await read
        .selectFrom("ruleset")
        .select("doc")
        .where("project_id", "=", projectId)
        .orderBy("id")
        .execute();
      return rows.map((row) => readDocument(VideoProtectionRulesetSchema, row.doc));
    },

    create: (value) =>
      write.transaction().execute(async (tx) => {
        const { id, projectId } = value;
        const revision = await nextRevision(tx, projectId);
        await tx
          .insertInto("ruleset")
          .values({
            id,
            project_id: projectId,
            revision,
            doc: toBinary(VideoProtectionRulesetSchema, value),
          })
          .execute();
        return { value, revision };
      }),
  };
}
