import type { AnnotationService } from "../../../gen/svc/cda/annotations/annotation/v1/annotation_service_pb.ts";
import { listedVisibilities } from "../../domain/content/visibility.ts";
import { invalidField } from "../../domain/errors.ts";
import {
  DELIVERY_PAGE_SIZE,
  type PagePosition,
  type PageTokens,
  resolvePageSize,
} from "../../domain/paging.ts";
import type { AnnotationPlace, AnnotationStore } from "../../storage/delivery-store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";

/** Creates the delivery handlers of annotations. */
export function createAnnotationHandlers(
  annotations: Pick<AnnotationStore, "list">,
  pageTokens: PageTokens,
): Handlers<typeof AnnotationService, DeliveryCall> {
  return {
    async listAnnotations(request, call) {
      const { projectId, kind } = call.key;
      const { videoId, eventId, pageToken } = request;
      if (videoId === "" && eventId === "") {
        throw invalidField("video_id", "ANNOTATION_PARENT_REQUIRED", "set video_id or event_id");
      }
      const limit = resolvePageSize(request.pageSize, DELIVERY_PAGE_SIZE);
      const binding = ["ListAnnotations", projectId, kind, videoId, eventId];
      const page = await annotations.list({
        projectId,
        visibilities: listedVisibilities(kind),
        ...(videoId !== "" && { videoId }),
        ...(eventId !== "" && { eventId }),
        limit,
        ...(pageToken !== "" && { after: toPlace(pageTokens.verify(pageToken, binding)) }),
      });
      call.freshness.addList("annotation", projectId, page.annotations);
      return {
        annotations: [...page.annotations],
        nextPageToken: page.next ? pageTokens.sign(toPosition(page.next), binding) : "",
      };
    },
  };
}

/** Converts a place to a page position; the order becomes a string, as JSON numbers do not hold 64 bits. */
function toPosition({ offset, order, id }: AnnotationPlace): PagePosition {
  return [offset ?? null, String(order), id];
}

function toPlace([offset, order, id]: PagePosition): AnnotationPlace {
  return {
    ...(offset !== null && { offset: Number(offset) }),
    order: BigInt(order ?? 0),
    id: String(id),
  };
}
