import type { Entitlement } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";

/** Videos. */
export interface VideoStore {
  /** Gets a video of a project; NOT_FOUND otherwise. */
  get(key: { readonly projectId: string; readonly id: string }): Promise<Video>;
}

/** Whose stream, and how long it is kept without a word. */
export interface LeaseClaim {
  readonly projectId: string;
  readonly userId: string;
  readonly sessionKey: string;
  readonly videoId: string;
  /** How many streams the viewer may have at the same time. */
  readonly limit: number;
  readonly now: Date;
  readonly expireTime: Date;
}

/** A stream that was taken or renewed, or the sessions that hold all of them. */
export type LeaseResult =
  | { readonly kind: "held" }
  | {
      readonly kind: "full";
      /** Those whose streams were taken first come first; at most as many as the limit. */
      readonly sessionKeys: readonly string[];
      /** When one is free for the claim if nobody keeps or stops theirs; absent: never, by its limit. */
      readonly freeTime?: Date;
    };

/**
 * The streams of viewers. They are not content: no claim moves `version` or a project's revision. A
 * lease survives the death of the process; with the machine it may be lost, and so give a stream free
 * too soon.
 */
export interface LeaseStore {
  /**
   * Takes a stream, or renews that of the same session key, by one atomic statement: two claims at
   * once never hold more than the limit. A lease whose time has come counts no more, also not for
   * its own session key, which then takes a stream anew. A lower limit than before ends no stream.
   */
  claim(claim: LeaseClaim): Promise<LeaseResult>;
  /** Gives a stream back; one that is not held changes nothing. */
  release(lease: Pick<LeaseClaim, "projectId" | "userId" | "sessionKey">): Promise<void>;
}

/** Whose entitlements, and when they must hold: from their start on, their end not included. */
export interface EntitlementViewer {
  readonly projectId: string;
  readonly userId: string;
  readonly now: Date;
}

/** Which entitlements to list. */
export interface EntitlementQuery extends EntitlementViewer {
  readonly limit: number;
  /** Continues behind this place. */
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
  /** The last place of the page if more follow. */
  readonly next?: EntitlementPlace;
}

/** What a viewer's entitlements allow for a video. */
export interface Coverage {
  /** The largest number of streams that a covering offer names; 0: none names one. */
  readonly maxStreams: number;
}

/** What captured transactions give, as long as their offer opens something, by what it says now. */
export interface EntitlementStore {
  /** Lists a viewer's entitlements, newest first, ties by id. */
  list(query: EntitlementQuery): Promise<EntitlementPage>;
  /**
   * Tells whether an offer of an entitlement opens everything, the video, or one of all the events and
   * creative works that show it; undefined: none does. An offer's own visibility does not matter.
   */
  covers(query: EntitlementViewer & { readonly videoId: string }): Promise<Coverage | undefined>;
}
