import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { notFound } from "../../domain/base/errors.ts";
import { toPageComponentV1 } from "../../domain/pages/components/v1.ts";
import { implement, type Service } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** Creates the service of page components in the format of version 1 (contract: page-components 16). */
export function createPageComponentV1Service(): Service<StudioCall> {
  return implement(PageComponentService, {
    async batchGetPageComponents(request, call) {
      const ids = [...new Set(request.pageComponentIds)];
      const stored = await call.organization.pageComponents.getMany(ids);
      const components = new Map(stored.map(({ value }) => [value.id, value]));
      return {
        pageComponents: ids.map((id) => {
          const component = components.get(id);
          if (component === undefined) throw notFound("page_component", id);
          return toPageComponentV1(component);
        }),
      };
    },
  });
}
