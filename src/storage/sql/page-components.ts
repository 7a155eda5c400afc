import { toBinary } from "@bufbuild/protobuf";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { notFound } from "../../domain/errors.ts";
import type { PageComponentStore } from "../store.ts";
import { toStored } from "./documents.ts";
import { nextRevision } from "./revisions.ts";
import type { Connections } from "./schema.ts";

/** Creates the store of page components. */
export function createPageComponentStore({ read, write }: Connections): PageComponentStore {
  return {
    async getMany(ids) {
      if (ids.length === 0) return [];
      const rows = await read
        .selectFrom("page_component")
        .select(["doc", "revision"])
        .where("id", "in", [...ids])
        .execute();
      return rows.map((row) => toStored(PageComponentSchema, row));
    },

    update: (id, change) =>
      write.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom("page_component")
          .select(["doc", "revision", "project_id", "page_id"])
          .where("id", "=", id)
          .executeTakeFirst();
        if (row === undefined) throw notFound(`page_component ${id}`);
        const siblings = await tx
          .selectFrom("page_component")
          .select(["id", "group_id", "is_filter"])
          .where("page_id", "=", row.page_id)
          .orderBy("position")
          .execute();
        const page = siblings.map((it) => ({
          id: it.id,
          groupId: it.group_id,
          isFilter: it.is_filter === 1,
        }));
        const value = change(toStored(PageComponentSchema, row), page);
        const revision = await nextRevision(tx, row.project_id);
        await tx
          .updateTable("page_component")
          .set({
            doc: toBinary(PageComponentSchema, value),
            revision,
            visibility: value.visibility,
            group_id: value.groupId,
            is_filter: value.data.case === "filter" ? 1 : 0,
          })
          .where("id", "=", id)
          .execute();
        return { value, revision };
      }),
  };
}
