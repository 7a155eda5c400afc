import { sql } from "kysely";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { cutPage } from "../../../domain/base/paging.ts";
import type {
  AnnotationPage,
  AnnotationPlace,
  AnnotationQuery,
  AnnotationStore,
} from "../../contract/annotations.ts";
import { build } from "../../db/query.ts";
import { toMicros, UNSET_TIME } from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inReadTransaction } from "../base/in-transaction.ts";
import { BYTES, readDocuments } from "../base/read-documents.ts";

/** Annotations. */
export class SqlAnnotationStore extends ConnectedStore implements AnnotationStore {
  list(query: AnnotationQuery): Promise<AnnotationPage> {
    return inReadTransaction(this.connections, query.projectId, async (tx) => {
      const rows = await tx.all(selectPage(query));
      const { shown, last } = cutPage(rows, query.limit, ({ bytes }) => bytes);
      const annotations: Annotation[] = [];
      for await (const { value } of readDocuments(tx, ANNOTATIONS, query.projectId, shown)) {
        annotations.push(value);
      }
      return { annotations, ...(last && { next: toPlace(last) }) };
    });
  }
}

const ANNOTATIONS = { table: "annotation", schema: AnnotationSchema } as const;

function selectPage({ videoId, eventId, after, ...query }: AnnotationQuery) {
  let select = build
    .selectFrom("annotation")
    .select(["id", "moment", BYTES])
    // As text, because 64-bit numbers may exceed JavaScript's.
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
  return select
    .orderBy("moment")
    .orderBy("sort_order")
    .orderBy("id")
    .limit(query.limit + 1);
}

/** Returns the columns that find and order annotations. */
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
