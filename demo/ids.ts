/** The demo's organization. */
export const ORGANIZATION = "org-worldcup";

/** The organization of the outsider, which must not see the demo's. */
export const OTHER_ORGANIZATION = "org-elsewhere";

/** The project of the World Cup, the first of its organization. */
export const WORLD_CUP = "worldcup";

/** The path of the demo's posters, banners and logos. */
export const PICTURE_PATH = "/demo/picture.svg";

/** The URL of the service in the URLs of images in the demo's file; loading replaces it by the actual URL. */
export const FILE_URL = "http://127.0.0.1:8080";

/** The second project of the same organization, with a little content of its own. */
export const SANDBOX = "sandbox";

/**
 * The sample ids of the World Cup project in the demo file. The video belongs to the event, the rail and the
 * other component are on the page, and the annotation type has an action configuration.
 */
export const demoSamples = {
  page_id: "page-home",
  page_slug: "home",
  page_component_id: "banner-home",
  rail_id: "rail-home-matches",
  annotation_id: "goal-2026-104-1",
  annotation_type_id: "type-goal",
  event_id: "match-2026-104",
  entity_id: "team-esp",
  creative_work_id: "highlights-2026-104",
  video_id: "video-match-2026-104",
  ruleset_id: "ruleset-default",
  transaction_billing_id: "bill_000001",
} as const;

/** The release of the next match day. */
export const MATCH_DAY = "match-day";
