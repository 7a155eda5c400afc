import type { RecordKind } from "../../src/domain/records/record.ts";

/** The paths of the collections of the Studio API, by their kinds. */
export const COLLECTIONS: Readonly<Partial<Record<RecordKind, string>>> = {
  entity: "cms/entities/v1",
  creative_work: "cms/creative_works/v1",
  event: "cms/events/v1",
  video: "streaming/videos/v1",
  action: "annotations/actions/v1",
  annotation_type: "annotations/types/v1",
  annotation: "annotations/annotations/v1",
  banner_collection: "ott/banner_collections/v2",
  page: "ott/pages/v1",
  page_component: "ott/page_components/v2",
  ruleset: "streaming/video_protection/v2/rulesets",
  offer: "monetization/offers/v1",
};
