import type { Message } from "@bufbuild/protobuf";
import type { Entitlement } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { Offer } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { Annotation } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationType } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { Transaction } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { VideoProtectionRuleset } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { DomainError } from "./base/errors.ts";
import { invalidField } from "./base/field-errors.ts";
import { clip } from "./base/text.ts";
import { getDataMember } from "./pages/components/data-member.ts";
import { readTarget } from "./pages/rendering/reference.ts";

/** A resource by its type and id. */
export interface ResourceName {
  readonly type: string;
  readonly id: string;
}

/** Lists the resources that an annotation refers to. */
export function listAnnotationReferences(annotation: Annotation): ResourceName[] {
  return names({
    annotation_type: [annotation.typeId],
    video: [annotation.videoId],
    event: [annotation.eventId],
    creative_work: [annotation.creativeWorkId],
    entity: annotation.entityIds,
  });
}

/** Lists the actions that an annotation type runs. */
export function listAnnotationTypeReferences(type: AnnotationType): ResourceName[] {
  return names({ action: Object.keys(type.actionConfiguration?.configuration ?? {}) });
}

/** Lists the resources that a page component shows by a literal id, without variables. */
export function listPageComponentReferences(component: PageComponent): ResourceName[] {
  const target = readTarget(component);
  if (target === undefined || /[{}]/.test(target.id)) return [];
  return names({ [target.kind]: [target.id] });
}

/** Lists the resources that a ruleset targets. */
export function listRulesetReferences({ applicability }: VideoProtectionRuleset): ResourceName[] {
  if (applicability.case !== "target") return [];
  const { entityIds, eventIds, creativeWorkIds, videoIds } = applicability.value;
  return names({
    entity: entityIds,
    event: eventIds,
    creative_work: creativeWorkIds,
    video: videoIds,
  });
}

/** Lists the resources that an offer grants access to. */
export function listOfferReferences({ opens }: Offer): ResourceName[] {
  return names({
    video: opens?.videoIds ?? [],
    event: opens?.eventIds ?? [],
    creative_work: opens?.creativeWorkIds ?? [],
  });
}

/** Lists the offer of a transaction. */
export function listTransactionReferences({ offerId }: Transaction): ResourceName[] {
  return names({ offer: [offerId] });
}

/** Lists the offer of an entitlement. */
export function listEntitlementReferences({ offerId }: Entitlement): ResourceName[] {
  return names({ offer: [offerId] });
}

function names(ids: Readonly<Record<string, readonly string[]>>): ResourceName[] {
  return Object.entries(ids).flatMap(([type, own]) =>
    [...new Set(own)].filter((id) => id !== "").map((id) => ({ type, id })),
  );
}

/** A reference that must exist in the project when it is written. */
export interface RequiredReference {
  readonly type: "action" | "annotation_type" | "banner_collection";
  readonly id: string;
  /** The root-level field of the resource that contains the reference: `type_id`, `banner_collection_v2`. */
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

/** Lists the actions that the configuration of an annotation type names. */
function listRequiredOfAnnotationType(type: AnnotationType): RequiredReference[] {
  const member = "action_configuration";
  return listAnnotationTypeReferences(type).map(({ id }) => ({
    ...{ type: "action", id, member, field: `${member}.configuration.${id}` },
  }));
}

/** Lists the references of a resource that must exist when they are written; none for most kinds. */
export function listRequiredOf(kind: string, message: Message): RequiredReference[] {
  switch (kind) {
    case "annotation":
      return listRequiredOfAnnotation(message as Annotation);
    case "annotation_type":
      return listRequiredOfAnnotationType(message as AnnotationType);
    case "page_component":
      return listRequiredOfPageComponent(message as PageComponent);
    default:
      return [];
  }
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
