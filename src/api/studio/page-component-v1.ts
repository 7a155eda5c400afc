import { create, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import {
  type PageComponent as PageComponentV1,
  PageComponentSchema as PageComponentV1Schema,
} from "../../../gen/svc/studio/ott/page_component/v1/page_component_pb.ts";
import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code, DomainError, notFound } from "../../domain/base/errors.ts";
import { FULL_JSON } from "../../domain/base/json.ts";
import { getDataMember } from "../../domain/pages/components/data-member.ts";
import { implement, type StudioService } from "../steps/service.ts";

/** The components that are read at once: each may have megabytes. */
const PORTION = 20;

/** Creates the service of page components in the format of version 1 (contract: page-components 16). */
export function createPageComponentV1Service(): StudioService {
  return implement(PageComponentService, {
    async batchGetPageComponents(request, call) {
      const ids = [...new Set(request.pageComponentIds)];
      const components = new Map<string, PageComponent>();
      for (let from = 0; from < ids.length; from += PORTION) {
        const portion = ids.slice(from, from + PORTION);
        for (const { value } of await call.organization.pageComponents.getMany(portion)) {
          const isSmall = call.budget.takeBytes(toBinary(PageComponentSchema, value).length);
          if (!isSmall) throw tooLarge();
          components.set(value.id, value);
        }
      }
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

function tooLarge(): DomainError {
  const message = "the page components have more than 4 MiB together: read them in several calls";
  return new DomainError(Code.RESOURCE_EXHAUSTED, "RESPONSE_TOO_LARGE", message);
}

/** Converts a component to version 1, whose `data` is the object of the data member. */
export function toPageComponentV1(component: PageComponent): PageComponentV1 {
  const member = getDataMember(component);
  const data = member && toJson(member.schema, member.value, FULL_JSON);
  return create(PageComponentV1Schema, {
    projectId: component.projectId,
    id: component.id,
    name: component.name,
    type: component.type,
    data: (data ?? {}) as JsonObject,
    props: {},
    environments: component.environments,
    visibility: component.visibility,
    groupId: component.groupId,
    cssClasses: component.cssClasses,
  });
}
