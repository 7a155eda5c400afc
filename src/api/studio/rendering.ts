import { fromBinary } from "@bufbuild/protobuf";
import {
  RenderingService,
  RenderPageComponentResponseSchema,
} from "../../../gen/svc/studio/ott/rendering/v1/rendering_service_pb.ts";
import { CHECKED_DEPTH } from "../../domain/base/descriptors.ts";
import { DELIVERY_PAGE_SIZE, resolvePageSize } from "../../domain/base/paging.ts";
import { listRequiredOf } from "../../domain/kinds.ts";
import { ComponentTemplate } from "../../domain/pages/rendering/render-component.ts";
import { composeJson } from "../../protojson/message-json.ts";
import { listShownWarnings, type PageRenderer } from "../delivery/page-renderer.ts";
import type { ProjectReads } from "../reads/project-reads.ts";
import { DeliveryCall } from "../steps/delivery-call.ts";
import type { Previews } from "../steps/preview.ts";
import { implement, type StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { prepareComponent } from "./page-component.ts";

/** The dependencies of the service of renderings. */
interface RenderingDependencies {
  readonly renderer: PageRenderer;
  readonly previews: Previews;
  /** The reads of the current version. */
  readonly reads: ProjectReads;
  readonly createId: () => string;
}

/** Creates the Studio API service that renders as the Delivery API does for a preview key of the project. */
export function createRenderingService(dependencies: RenderingDependencies): StudioService {
  const { renderer, previews, reads, createId } = dependencies;

  /** Opens a call of the Delivery API with the headers and the budget of a call of the Studio API. */
  async function openPreview({ budget, incoming, resource }: StudioCall, releaseId: string) {
    const { organizationId, id: projectId } = resource;
    const key = { organizationId, projectId, kind: "preview" } as const;
    const releaseIds = releaseId === "" ? [] : [releaseId];
    const view = await previews.open(incoming, key, budget, releaseIds);
    return new DeliveryCall(incoming, { kind: "project", key }, { reads, budget }, view);
  }

  return implement(RenderingService, {
    async renderPageComponent(request, call) {
      call.setHeader("cache-control", "private, no-store");
      const component = call.budget.count(() => prepareComponent(request, call, createId));
      await call.budget.nextStep();
      resolvePageSize(request.itemsPageSize, DELIVERY_PAGE_SIZE, "items_page_size");
      const references = listRequiredOf("page_component", component);
      await call.checkReferences(references, component.projectId, "page_component");
      const preview = await openPreview(call, request.releaseId);
      const componentVisibilities = preview.listed.visibilities;
      const key = { ...preview.readable, componentVisibilities, id: request.pageId };
      const { page } = await preview.reads.pages.getPage(key, preview.budget);
      const template = new ComponentTemplate(component);
      const { shown, resources } = await renderer.show({ page, template }, request, preview);
      preview.warn(listShownWarnings(shown, "page_component."));
      const rendered = await renderer.toMessage(shown, resources, request, preview);
      const composed = call.budget.count(() =>
        composeJson(RenderPageComponentResponseSchema, { component: rendered }).toBinary(),
      );
      await call.budget.nextStep();
      const response = call.budget.count(() =>
        fromBinary(RenderPageComponentResponseSchema, composed, CHECKED_DEPTH),
      );
      await call.budget.nextStep();
      return response;
    },
  });
}
