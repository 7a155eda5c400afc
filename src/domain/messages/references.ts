import type { Entitlement } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { Offer } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationType } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { Transaction } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { readTarget } from "../pages/rendering/reference.ts";

/** A resource by its type and id. */
export interface ResourceName {
  readonly type: string;
  readonly id: string;
}

/** Lists what an annotation refers to. */
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

/** Lists what a page component shows by a literal id; an id with a variable refers to nothing yet. */
export function listPageComponentReferences(component: PageComponent): ResourceName[] {
  const target = readTarget(component);
  if (target === undefined || /[{}]/.test(target.id)) return [];
  return names({ [target.kind]: [target.id] });
}

/** Lists what a ruleset names as its target. */
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

/** Lists what an offer opens. */
export function listOfferReferences({ opens }: Offer): ResourceName[] {
  return names({
    video: opens?.videoIds ?? [],
    event: opens?.eventIds ?? [],
    creative_work: opens?.creativeWorkIds ?? [],
  });
}

/** Lists the offer that a transaction bought. */
export function listTransactionReferences({ offerId }: Transaction): ResourceName[] {
  return names({ offer: [offerId] });
}

/** Lists the offer that an entitlement is of. */
export function listEntitlementReferences({ offerId }: Entitlement): ResourceName[] {
  return names({ offer: [offerId] });
}

function names(ids: Readonly<Record<string, readonly string[]>>): ResourceName[] {
  return Object.entries(ids).flatMap(([type, own]) =>
    [...new Set(own)].filter((id) => id !== "").map((id) => ({ type, id })),
  );
}
