import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { type DomainError, invalidField } from "../errors.ts";
import { getDataMember } from "../pages/components/data-member.ts";
import { clip } from "./clip.ts";
import { listPageComponentReferences } from "./references.ts";

/** A reference that must exist in the project when it is written. */
export interface RequiredReference {
  readonly type: "annotation_type" | "banner_collection";
  readonly id: string;
  /** The root-level field of the resource that holds the reference: `type_id`, `banner_collection_v2`. */
  readonly member: string;
  /** The path of the reference itself: `type_id`, `banner_collection_v2.id`. */
  readonly field: string;
}

/** Lists the annotation type of an annotation, if set. */
export function listRequiredOfAnnotation({ typeId: id }: Annotation): RequiredReference[] {
  return id === "" ? [] : [{ type: "annotation_type", id, member: "type_id", field: "type_id" }];
}

/**
 * Lists the banner collection that a component names by a literal id (contract: page-components 14); an id
 * with a variable is resolved only when the page is rendered.
 */
export function listRequiredOfPageComponent(component: PageComponent): RequiredReference[] {
  const { name: member = "" } = getDataMember(component) ?? {};
  return listPageComponentReferences(component).flatMap(({ type, id }) =>
    type === "banner_collection" ? [{ type, id, member, field: `${member}.id` }] : [],
  );
}

/** Creates the INVALID_ARGUMENT `REFERENCE_NOT_FOUND` for a reference to a missing resource. */
export function referenceNotFound(
  { type, id, field }: RequiredReference,
  path: string,
): DomainError {
  const name = type.replaceAll("_", " ");
  return invalidField(
    `${path}.${field}`,
    "REFERENCE_NOT_FOUND",
    `the project has no ${name} '${clip(id)}'; create it first`,
  );
}
