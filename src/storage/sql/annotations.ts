import { toBinary } from "@bufbuild/protobuf";
import type { Duration } from "@bufbuild/protobuf/wkt";
import { sql } from "kysely";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { notFound } from "../../domain/errors.ts";
import type { AnnotationPlace, AnnotationQuery, AnnotationStore } from "../delivery-store.ts";
import { cutPage } from "./cut-page.ts";
import { createGetStore, readDocument, toStored } from "./documents.ts";
import { nextRevision } from "./revisions.ts";
import type { Connections } from "./schema.ts";
import { UNSET_TIME } from "./times.ts";

/** Creates the store of annotations. */
export function createAnnotationStore(connections: Connections): AnnotationStore {
  const { read, write } = connections;
  return {
    ...createGetStore(connections, "annotation", AnnotationSchema),

    update: (id, change) =>
      write.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom("annotation")
          .select(["doc", "revision", "project_id"])
          .where("id", "=", id)
          .executeTakeFirst();
        if (row === undefined) throw notFound(`annotation ${id}`);
        const value = change(toStored(AnnotationSchema, row));
        const revision = await nextRevision(tx, row.project_id);
        await tx
          .updateTable("annotation")
          .set({
            doc: toBinary(AnnotationSchema, value),
            revision,
            visibility: value.visibility,
            ...toAnnotationColumns(value),
          })
          .where("id", "=", id)
          .execute();
        return { value, revision };
      }),

    async list(query) {
      const { shown, last } = cutPage(await selectPage(query), query.limit);
      return {
        annotations: shown.map((row) => readDocument(AnnotationSchema, row.doc)),
        ...(last && { next: toPlace(last) }),
      };
    },
  };

  async function selectPage({ videoId, eventId, after, ...query }: AnnotationQuery) {
    let select = read
      .selectFrom("annotation")
      .select(["id", "moment", "doc"])
      // As text: a 64-bit number may not fit the driver's.
      .select(sql<string>`cast(sort_order as text)`.as("order_text"))
      .where("project_id", "=", query.projectId)
      .where("visibility", "in", [...query.visibilities]);
    if (videoId !== undefined) select = select.where("video_id", "=", videoId);
    if (eventId !== undefined) select = select.where("event_id", "=", eventId);
    if (after !== undefined) {
      const { offset = UNSET_TIME, order, id } = after;
      select = select.where((eb) =>
        eb(eb.refTuple("moment", "sort_order", "id"), ">", eb.tuple(offset, order, id)),
      );
    }
    return await select
      .orderBy("moment")
      .orderBy("sort_order")
      .orderBy("id")
      .limit(query.limit + 1)
      .execute();
  }
}

/** Makes the columns that annotations are looked up and ordered by. */
export function toAnnotationColumns({ videoId, eventId, offset, order }: Annotation) {
  return {
    video_id: videoId,
    event_id: eventId,
    moment: offset === undefined ? UNSET_TIME : toMicros(offset),
    sort_order: order,
  };
}

function toMicros({ seconds, nanos }: Duration): number {
  return Number(seconds) * 1_000_000 + Math.floor(nanos / 1_000);
}

function toPlace(row: { id: string; moment: number; order_text: string }): AnnotationPlace {
  return {
    ...(row.moment !== UNSET_TIME && { offset: row.moment }),
    order: BigInt(row.order_text),
    id: row.id,
  };
}
