import type { Entitlement } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";

/** Selects the entitlements of a viewer that are live at a time: start inclusive, end exclusive. */
export interface EntitlementViewer {
  readonly projectId: string;
  readonly userId: string;
  readonly now: Date;
}

/** Selects the entitlements to list. */
export interface EntitlementQuery extends EntitlementViewer {
  readonly limit: number;
  /** Continues after this place. */
  readonly after?: EntitlementPlace;
}

/** A place in the order of entitlements: newest first, then id. */
export interface EntitlementPlace {
  /** Microseconds since 1970. */
  readonly startTime: number;
  readonly id: string;
}

/** A page of entitlements. */
export interface EntitlementPage {
  readonly entitlements: readonly Entitlement[];
  /** The last place of the page; absent if no more follow. */
  readonly next?: EntitlementPlace;
}

/** The playback limits that a viewer's entitlements set for a video. */
export interface Coverage {
  /** The largest stream limit of the covering offers; 0 if none sets one. */
  readonly maxStreams: number;
  /** The end of the last of the entitlements; absent if one does not end. */
  readonly endTime?: Date;
}

/** The entitlements of viewers with offers that currently grant access to something. */
export interface EntitlementStore {
  /** Lists a viewer's entitlements, newest first, ties by id. */
  list(query: EntitlementQuery): Promise<EntitlementPage>;
  /**
   * Returns the coverage if an entitlement's offer grants access to everything, the video, or an event or creative
   * work, visible or not, that shows it. Undefined if none does. The visibility of the offer itself does not matter.
   */
  covers(query: EntitlementViewer & { readonly videoId: string }): Promise<Coverage | undefined>;
}
