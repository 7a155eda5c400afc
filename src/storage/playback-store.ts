import type { Entitlement } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";

/** Videos. */
export interface VideoStore {
  /** Returns a video of a project; NOT_FOUND if there is none. */
  get(key: { readonly projectId: string; readonly id: string }): Promise<Video>;
}

/** Claims a stream for a viewer's session until the lease expires. */
export interface LeaseClaim {
  readonly projectId: string;
  readonly userId: string;
  readonly sessionKey: string;
  readonly videoId: string;
  /** The most concurrent streams of the viewer. */
  readonly limit: number;
  readonly now: Date;
  readonly expireTime: Date;
}

/** A stream taken or renewed, or the sessions that hold all of them. */
export type LeaseResult =
  | { readonly kind: "held" }
  | {
      readonly kind: "full";
      /** The sessions, oldest stream first; at most `limit`. */
      readonly sessionKeys: readonly string[];
      /**
       * The time a stream becomes free for the claim unless others renew or release theirs; absent if the
       * limit permits none.
       */
      readonly freeTime?: Date;
    };

/**
 * The concurrent streams of viewers. Leases are not content: a claim moves neither `version` nor a project's
 * revision. A lease survives a crash of the process; a crash of the machine may lose it, which frees its
 * stream early.
 */
export interface LeaseStore {
  /**
   * Takes a stream, or renews that of the same session key, in one atomic statement: concurrent claims never
   * hold more than the limit. An expired lease does not count, even for its own session key, which then takes
   * a new stream. A limit lower than before ends no stream.
   */
  claim(claim: LeaseClaim): Promise<LeaseResult>;
  /** The claims of this process since its start, by their result. */
  readonly claims: Readonly<Record<LeaseResult["kind"], number>>;
  /** Counts the streams of all viewers whose leases have not expired at a time. */
  count(now: Date): Promise<number>;
  /** Releases a stream; does nothing if it is not held. */
  release(lease: Pick<LeaseClaim, "projectId" | "userId" | "sessionKey">): Promise<void>;
}

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
}

/** The entitlements of viewers whose offers currently open something. */
export interface EntitlementStore {
  /** Lists a viewer's entitlements, newest first, ties by id. */
  list(query: EntitlementQuery): Promise<EntitlementPage>;
  /**
   * Returns the coverage if an entitlement's offer opens everything, the video, or an event or creative work,
   * visible or not, that shows it; undefined if none does. The visibility of the offer itself does not
   * matter.
   */
  covers(query: EntitlementViewer & { readonly videoId: string }): Promise<Coverage | undefined>;
}
