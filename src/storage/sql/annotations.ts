import { sql } from "kysely";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { build } from "../db/query.ts";
import type { AnnotationPlace, AnnotationQuery, AnnotationStore } from "../delivery-store.ts";
import type { Connections } from "./connections.ts";
import { cutPage, sizeOfDocument } from "./cut-page.ts";
import { readDocument } from "./stored-document.ts";
import { toMicros, UNSET_TIME } from "./times.ts";

/** Creates the store of annotations. */
export function createAnnotationStore({ read }: Connections): AnnotationStore {
  return {
    async list(query) {
      const { shown, last } = cutPage(await selectPage(query), query.limit, sizeOfDocument);
      return {
        annotations: shown.map((row) => readDocument(AnnotationSchema, row.doc)),
        ...(last && { next: toPlace(last) }),
      };
    },
  };

  async function selectPage({ videoId, eventId, after, ...query }: AnnotationQuery) {
    let select = build
      .selectFrom("annotation")
      .select(["id", "moment", "doc"])
      // As text, as 64-bit numbers may exceed those of JavaScript.
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
    return await read.all(
      select
        .orderBy("moment")
        .orderBy("sort_order")
        .orderBy("id")
        .limit(query.limit + 1),
    );
  }
}

/** Returns the columns by which annotations are looked up and ordered. */
export function toAnnotationColumns({ videoId, eventId, offset, order }: Annotation) {
  return {
    video_id: videoId,
    event_id: eventId,
    moment: offset === undefined ? UNSET_TIME : toMicros(offset),
    sort_order: order,
  };
}

function toPlace(row: { id: string; moment: number; order_text: string }): AnnotationPlace {
  return {
    ...(row.moment !== UNSET_TIME && { offset: row.moment }),
    order: BigInt(row.order_text),
    id: row.id,
  };
}
