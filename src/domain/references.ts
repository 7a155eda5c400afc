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
import type { Warning } from "./base/warnings.ts";
import { getDataMember } from "./pages/components/data-member.ts";
import {
  findMirroredId,
  REFERENCE_PATH,
  readOfferIds,
  readTarget,
} from "./pages/rendering/reference.ts";

/** A resource by its type and id. */
export interface ResourceName {
  readonly type: string;
  readonly id: string;
}

/** A reference to a resource of the same project. */
export interface Reference extends ResourceName {
  /** The path of the id in the resource that contains it: `type_id`, `entity_ids[2]`. */
  readonly field: string;
}

/** Lists the resources that an annotation refers to. */
export function listAnnotationReferences(annotation: Annotation): Reference[] {
  return [
    ...listIds("annotation_type", "type_id", annotation.typeId),
    ...listIds("video", "video_id", annotation.videoId),
    ...listIds("event", "event_id", annotation.eventId),
    ...listIds("creative_work", "creative_work_id", annotation.creativeWorkId),
    ...listIds("entity", "entity_ids", annotation.entityIds),
  ];
}

/** Lists the actions that an annotation type runs. */
export function listAnnotationTypeReferences({ actionConfiguration }: AnnotationType): Reference[] {
  const ids = Object.keys(actionConfiguration?.configuration ?? {});
  const path = "action_configuration.configuration";
  return ids.flatMap((id) => listIds("action", `${path}.${id}`, id));
}

/** Lists the resources that a page component shows by a literal id, without variables. */
export function listPageComponentReferences(component: PageComponent): Reference[] {
  const target = readTarget(component);
  const { name = "" } = getDataMember(component) ?? {};
  return target === undefined ? [] : listLiteralIds(target.kind, `${name}.id`, target.id);
}

/** Lists the offers of the cards of a page component, and the component that it mirrors. */
export function listPageComponentMentions(component: PageComponent): Reference[] {
  const { data } = component;
  const offers = data.case === "offers" ? readOfferIds(data.value) : [];
  return [
    ...offers.flatMap((id) => listLiteralIds("offer", "offers.offer", id)),
    ...listLiteralIds("page_component", REFERENCE_PATH, findMirroredId(component) ?? ""),
  ];
}

/** Lists the resources that a ruleset targets. */
export function listRulesetReferences({ applicability }: VideoProtectionRuleset): Reference[] {
  if (applicability.case !== "target") return [];
  const { entityIds, eventIds, creativeWorkIds, videoIds } = applicability.value;
  return [
    ...listIds("entity", "target.entity_ids", entityIds),
    ...listIds("event", "target.event_ids", eventIds),
    ...listIds("creative_work", "target.creative_work_ids", creativeWorkIds),
    ...listIds("video", "target.video_ids", videoIds),
  ];
}

/** Lists the resources that an offer grants access to. */
export function listOfferReferences({ opens }: Offer): Reference[] {
  return [
    ...listIds("video", "opens.video_ids", opens?.videoIds ?? []),
    ...listIds("event", "opens.event_ids", opens?.eventIds ?? []),
    ...listIds("creative_work", "opens.creative_work_ids", opens?.creativeWorkIds ?? []),
  ];
}

/** Lists the offer of a transaction. */
export function listTransactionReferences({ offerId }: Transaction): Reference[] {
  return listIds("offer", "offer_id", offerId);
}

/** Lists the offer of an entitlement. */
export function listEntitlementReferences({ offerId }: Entitlement): Reference[] {
  return listIds("offer", "offer_id", offerId);
}

/** Lists the references of a field that contains an id or a list of them, each id once; none for an empty id. */
export function listIds(type: string, field: string, ids: string | readonly string[]): Reference[] {
  if (typeof ids === "string") return ids === "" ? [] : [{ type, id: ids, field }];
  const references = new Map<string, Reference>();
  for (const [index, id] of ids.entries()) {
    if (id !== "" && !references.has(id))
      references.set(id, { type, id, field: `${field}[${index}]` });
  }
  return [...references.values()];
}

/** Lists the reference of a text of a component, unless it contains a variable. */
function listLiteralIds(type: string, field: string, id: string): Reference[] {
  return /[{}]/.test(id) ? [] : listIds(type, field, id);
}

/** Creates the warning of a reference to a resource that the project lacks. */
export function warnOfMissing({ type, id, field }: Reference): Warning {
  const name = type.replaceAll("_", " ");
  const message = `${field}: the project has no ${name} '${clip(id)}'; create it, or correct the id`;
  return { code: "REFERENCE_MISSING", fields: [field], message };
}

/** A reference that must exist in the project when it is written. */
export interface RequiredReference extends Reference {
  readonly type: "action" | "annotation_type" | "banner_collection";
}

/** Lists the annotation type of an annotation, if set. */
export function listRequiredOfAnnotation(annotation: Annotation): RequiredReference[] {
  return selectRequired("annotation_type", listAnnotationReferences(annotation));
}

/**
 * Lists the banner collection that a component names by a literal id (contract: page-components 14); an id
 * with a variable is resolved only when the page is rendered.
 */
export function listRequiredOfPageComponent(component: PageComponent): RequiredReference[] {
  return selectRequired("banner_collection", listPageComponentReferences(component));
}

function selectRequired(
  type: RequiredReference["type"],
  references: readonly Reference[],
): RequiredReference[] {
  return references.filter((it): it is RequiredReference => it.type === type);
}

/** Lists the references of a resource that must exist when they are written; none for most kinds. */
export function listRequiredOf(kind: string, message: Message): RequiredReference[] {
  switch (kind) {
    case "annotation":
      return listRequiredOfAnnotation(message as Annotation);
    case "annotation_type":
      return selectRequired("action", listAnnotationTypeReferences(message as AnnotationType));
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
