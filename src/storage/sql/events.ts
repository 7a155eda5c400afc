import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { notFound } from "../../domain/errors.ts";
import type { EventQuery, EventStore } from "../store.ts";
import { readDocument } from "./documents.ts";
import { cutPage } from "./pages.ts";
import type { Connections } from "./schema.ts";

/** Creates the store of events. */
export function createEventStore({ read }: Connections): EventStore {
  return {
    async get(key) {
      const row = await visible(key).where("id", "=", key.id).executeTakeFirst();
      if (row === undefined) throw notFound(`event ${key.id}`);
      return readDocument(EventSchema, row.doc);
    },

    async list(query) {
      const wanted = query.limit + 1;
      const dated = await selectDated(query, wanted);
      const undated =
        dated.length < wanted ? await selectUndated(query, wanted - dated.length) : [];
      const { shown, last } = cutPage([...dated, ...undated], query.limit);
      return {
        events: shown.map((row) => readDocument(EventSchema, row.doc)),
        ...(last && {
          next: { id: last.id, ...(last.start_time !== null && { startTime: last.start_time }) },
        }),
      };
    },
  };

  function visible(query: Pick<EventQuery, "projectId" | "visibilities">) {
    return read
      .selectFrom("event")
      .select(["id", "start_time", "doc"])
      .where("project_id", "=", query.projectId)
      .where("visibility", "in", [...query.visibilities]);
  }

  async function selectDated(query: EventQuery, limit: number) {
    const { after } = query;
    if (after !== undefined && after.startTime === undefined) return [];
    const { startTime, id } = after ?? {};
    let select = visible(query).where("start_time", "is not", null);
    if (startTime !== undefined && id !== undefined) {
      select = select.where((eb) =>
        eb(eb.refTuple("start_time", "id"), ">", eb.tuple(startTime, id)),
      );
    }
    return select.orderBy("start_time").orderBy("id").limit(limit).execute();
  }

  async function selectUndated(query: EventQuery, limit: number) {
    const { after } = query;
    let select = visible(query).where("start_time", "is", null);
    if (after !== undefined && after.startTime === undefined) {
      select = select.where("id", ">", after.id);
    }
    return select.orderBy("id").limit(limit).execute();
  }
}
