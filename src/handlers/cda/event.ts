import type { ServiceImpl } from "@connectrpc/connect";
import type { EventService } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { getProjectKey } from "../../auth/caller.ts";
import type { PagePosition, PageTokens } from "../../domain/page-token.ts";
import { resolvePageSize } from "../../domain/paging.ts";
import { listedVisibilities, readableVisibilities } from "../../domain/visibility.ts";
import type { EventPlace, EventStore } from "../../storage/store.ts";

const PAGE_SIZE = { standard: 20, maximum: 100 };

/** Creates the delivery handlers of events. */
export function createEventHandlers(
  events: EventStore,
  pageTokens: PageTokens,
): ServiceImpl<typeof EventService> {
  return {
    async getEvent({ id }, context) {
      const { projectId, kind } = getProjectKey(context.values);
      const visibilities = readableVisibilities(kind);
      return { event: await events.get({ projectId, visibilities, id }) };
    },

    async listEvents(request, context) {
      const { projectId, kind } = getProjectKey(context.values);
      const { pageToken } = request;
      const limit = resolvePageSize(request.pageSize, PAGE_SIZE);
      const binding = ["ListEvents", projectId, kind];
      const page = await events.list({
        projectId,
        visibilities: listedVisibilities(kind),
        limit,
        ...(pageToken !== "" && { after: toPlace(pageTokens.open(pageToken, binding)) }),
      });
      return {
        events: [...page.events],
        nextPageToken: page.next ? pageTokens.seal(toPosition(page.next), binding) : "",
      };
    },
  };
}

function toPosition({ startTime, id }: EventPlace): PagePosition {
  return [startTime ?? null, id];
}

function toPlace([startTime, id]: PagePosition): EventPlace {
  return { id: String(id), ...(startTime !== null && { startTime: Number(startTime) }) };
}
