import { AnnotationService } from "../../../gen/svc/cda/annotations/annotation/v1/annotation_service_pb.ts";
import { checkField } from "../../domain/base/field-errors.ts";
import {
  DELIVERY_PAGE_SIZE,
  type PagePosition,
  type PageTokens,
} from "../../domain/base/paging.ts";
import type { AnnotationPlace } from "../../storage/contract/annotations.ts";
import { type DeliveryService, implement } from "../steps/service.ts";

/** Creates the delivery service of annotations. */
export function createAnnotationService(pageTokens: PageTokens): DeliveryService {
  return implement(AnnotationService, {
    async listAnnotations(request, call) {
      const { projectId, kind } = call.key;
      const { videoId, eventId } = request;
      const hasParent = videoId !== "" || eventId !== "";
      const description = "set video_id or event_id";
      checkField(hasParent, "video_id", "ANNOTATION_PARENT_REQUIRED", description);
      const binding = ["ListAnnotations", projectId, kind, videoId, eventId];
      const page = pageTokens.open(request, DELIVERY_PAGE_SIZE, binding);
      // With both, an annotation of one is tested for the other.
      const { annotations: listed, next } = await call.budget.spend(() =>
        call.reads.stores.annotations.list({
          ...call.listed,
          ...(videoId !== "" && { videoId }),
          ...(eventId !== "" && { eventId }),
          limit: page.limit,
          ...page.readStart(toPlace),
        }),
      );
      call.freshness.addList("annotation", projectId, listed);
      return { annotations: [...listed], ...page.end(next && toPosition(next)) };
    },
  });
}

/** Converts a place to a page position; the order becomes a string, because a JSON number cannot represent 64 bits. */
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
