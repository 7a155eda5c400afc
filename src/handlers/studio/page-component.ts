import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { checkPageComponentMask, updatePageComponent } from "../../domain/page-component/update.ts";
import type { PageComponentStore } from "../../storage/store.ts";
import { readIfMatch, tagAnswer } from "../conditional.ts";

/** Creates the management handlers of page components (SPEC Update page component). */
export function createPageComponentHandlers(
  pageComponents: PageComponentStore,
): ServiceImpl<typeof PageComponentService> {
  return {
    async updatePageComponent(request, context) {
      const demand = readIfMatch(context);
      const mask = checkPageComponentMask(request.updateMask?.paths ?? []);
      const update = request.pageComponentUpdate ?? create(PageComponentSchema);
      const stored = await pageComponents.update(request.pageComponentId, (current, page) => {
        demand(current);
        return updatePageComponent(current.value, update, mask, page);
      });
      tagAnswer(context, stored);
      return { pageComponent: stored.value };
    },
  };
}
