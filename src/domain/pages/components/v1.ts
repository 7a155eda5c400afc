import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import {
  type PageComponent as PageComponentV1,
  PageComponentSchema as PageComponentV1Schema,
} from "../../../../gen/svc/studio/ott/page_component/v1/page_component_pb.ts";
import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { getDataMember } from "./data-member.ts";

/** Converts a component to version 1, whose `data` is the object of the data member. */
export function toPageComponentV1(component: PageComponent): PageComponentV1 {
  const member = getDataMember(component);
  const data =
    member &&
    toJson(member.schema, member.value, { useProtoFieldName: true, alwaysEmitImplicit: true });
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
