import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { type DomainError, invalidField } from "../errors.ts";
import { getDataMember } from "../pages/components/data-member.ts";
import { listPageComponentReferences } from "./references.ts";

/** What a resource names that must exist in its project when the name is written. */
export interface RequiredReference {
  readonly type: "annotation_type" | "banner_collection";
  readonly id: string;
  /** The field that the name stands in, at the root of the resource: `type_id`, `banner_collection_v2`. */
  readonly member: string;
  /** The path of the name itself: `type_id`, `banner_collection_v2.id`. */
  readonly field: string;
}

/** Lists the type of an annotation, if it has one. */
export function listRequiredOfAnnotation({ typeId: id }: Annotation): RequiredReference[] {
  return id === "" ? [] : [{ type: "annotation_type", id, member: "type_id", field: "type_id" }];
}

/**
 * Lists the banner collection that a component names by a literal id (SPEC Variables: "Referenced
 * collections must exist"); what an id with a variable names is known when the page is asked for.
 */
export function listRequiredOfPageComponent(component: PageComponent): RequiredReference[] {
  const { name: member = "" } = getDataMember(component) ?? {};
  return listPageComponentReferences(component).flatMap(({ type, id }) =>
    type === "banner_collection" ? [{ type, id, member, field: `${member}.id` }] : [],
  );
}

/** Creates the INVALID_ARGUMENT `REFERENCE_NOT_FOUND` for a name that leads nowhere. */
export function referenceNotFound({ type, field }: RequiredReference, path: string): DomainError {
  const name = type.replaceAll("_", " ");
  return invalidField(
    `${path}.${field}`,
    "REFERENCE_NOT_FOUND",
    `the project has no ${name} of this id; create it first`,
  );
}
