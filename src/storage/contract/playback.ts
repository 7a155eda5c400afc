import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";

/** Identifies a video. */
export interface VideoKey {
  readonly projectId: string;
  readonly id: string;
}

/** Videos. */
export interface VideoStore {
  /** Returns a video of a project; NOT_FOUND if there is none. */
  get(key: VideoKey): Promise<Video>;
}

/** Video protection rulesets, for playback. */
export interface RulesetStore {
  /** Lists all rulesets of a project by id. */
  list(projectId: string): Promise<readonly VideoProtectionRuleset[]>;
}

/** Claims a stream for a viewer's session until the lease expires. */
export interface LeaseClaim {
  readonly projectId: string;
  readonly userId: string;
  readonly sessionKey: string;
  readonly videoId: string;
  /** Maximum number of concurrent streams of the viewer. */
  readonly limit: number;
  readonly now: Date;
  readonly expireTime: Date;
}

/** A stream taken or renewed, or the sessions that occupy all of them. */
export type LeaseResult =
  | { readonly kind: "held" }
  | {
      readonly kind: "full";
      /** The sessions, oldest stream first; at most `limit`. */
      readonly sessionKeys: readonly string[];
      /**
       * The time a stream becomes free for the claim unless other sessions renew or release theirs; absent if the
       * limit permits none.
       */
      readonly freeTime?: Date;
    };

/**
 * The concurrent streams of viewers. Leases are not content: a claim changes neither `version` nor a project's
 * revision. A lease survives a crash of the process; a crash of the machine may lose it, which frees its stream
 * early.
 */
export interface LeaseStore {
  /** The claims of this process since its start, by their result. */
  readonly claims: Readonly<Record<LeaseResult["kind"], number>>;
  /**
   * Takes a stream, or renews the stream of the same session key, in one atomic statement: concurrent claims never
   * exceed the limit. An expired lease does not count, even for its own session key, which then takes a new stream. A
   * limit lower than before ends no stream.
   */
  claim(wanted: LeaseClaim): Promise<LeaseResult>;
  /** Counts the streams of all viewers whose leases have not expired at a time. */
  count(now: Date): Promise<number>;
  /** Releases a stream; does nothing if the session has none. */
  release(key: Pick<LeaseClaim, "projectId" | "sessionKey" | "userId">): Promise<void>;
}
