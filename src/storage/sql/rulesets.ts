import { toBinary } from "@bufbuild/protobuf";
import type { Transaction } from "kysely";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { notFound } from "../../domain/errors.ts";
import type { RulesetStore } from "../store.ts";
import { cutPage } from "./cut-page.ts";
import { createGetStore, readDocument, toStored } from "./documents.ts";
import { nextRevision } from "./revisions.ts";
import type { Connections, Schema } from "./schema.ts";

/** Creates the store of video protection rulesets. */
export function createRulesetStore(connections: Connections): RulesetStore {
  const { read, write } = connections;
  const select = (projectId: string) =>
    read
      .selectFrom("ruleset")
      .select(["id", "doc"])
      .where("project_id", "=", projectId)
      .orderBy("id");

  return {
    ...createGetStore(connections, "ruleset", VideoProtectionRulesetSchema),

    async list(projectId) {
      const rows = await select(projectId).execute();
      return rows.map((row) => readDocument(VideoProtectionRulesetSchema, row.doc));
    },

    async listPage({ projectId, limit, after }) {
      const behind = select(projectId).$if(after !== undefined, (it) =>
        it.where("id", ">", after ?? ""),
      );
      const { shown, last } = cutPage(await behind.limit(limit + 1).execute(), limit);
      return {
        rulesets: shown.map((row) => readDocument(VideoProtectionRulesetSchema, row.doc)),
        ...(last && { next: last.id }),
      };
    },

    create: (value) =>
      write.transaction().execute(async (tx) => {
        const { id, projectId } = value;
        const revision = await nextRevision(tx, projectId);
        const doc = toBinary(VideoProtectionRulesetSchema, value);
        await tx
          .insertInto("ruleset")
          .values({ id, project_id: projectId, revision, doc })
          .execute();
        return { value, revision };
      }),

    update: (id, change) =>
      write.transaction().execute(async (tx) => {
        const row = await selectForWrite(tx, id);
        const value = change(toStored(VideoProtectionRulesetSchema, row));
        const revision = await nextRevision(tx, row.project_id);
        const doc = toBinary(VideoProtectionRulesetSchema, value);
        await tx.updateTable("ruleset").set({ doc, revision }).where("id", "=", id).execute();
        return { value, revision };
      }),

    delete: (id, check) =>
      write.transaction().execute(async (tx) => {
        const row = await selectForWrite(tx, id);
        check(toStored(VideoProtectionRulesetSchema, row));
        await nextRevision(tx, row.project_id);
        await tx.deleteFrom("ruleset").where("id", "=", id).execute();
      }),
  };
}

async function selectForWrite(tx: Transaction<Schema>, id: string) {
  const row = await tx
    .selectFrom("ruleset")
    .select(["doc", "revision", "project_id"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound(`ruleset ${id}`);
  return row;
}
