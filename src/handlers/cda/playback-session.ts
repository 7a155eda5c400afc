import type { HandlerContext } from "@connectrpc/connect";
import { getProjectKey, getRequest } from "../../auth/caller.ts";
import type { PlaylistUrls } from "../../auth/playlist-url.ts";
import type { FindViewer } from "../../auth/viewer.ts";
import { type PlaybackLimits, toLeaseEnd, toPlaylistEnd } from "../../domain/playback-limits.ts";
import {
  type Allowance,
  decide,
  type NeedsEntitlement,
  pickRuleset,
  type Viewer,
} from "../../domain/protection/index.ts";
import type { Store } from "../../storage/store.ts";
import type { FindEntitlement } from "../find-entitlement.ts";
import type { ProtectedVideos } from "../protected-video.ts";
import { refusePlayback } from "./playback-denial.ts";

/** What playback is decided by. */
export interface PlaybackParts {
  readonly protectedVideos: ProtectedVideos;
  readonly findViewer: FindViewer;
  readonly findEntitlement: FindEntitlement;
  readonly leases: Store["leases"];
  readonly playlistUrls: Pick<PlaylistUrls, "sign">;
  readonly limits: PlaybackLimits;
}

/** What is played, by which player of the viewer. */
export interface PlaybackSession {
  readonly videoId: string;
  readonly sessionKey: string;
}

/** Playback that is allowed. */
export interface GrantedPlayback {
  readonly playlistUrl: string;
  readonly expireTime: Date;
  readonly allowance: Allowance;
}

/** The playback of videos. */
export interface Playbacks {
  /**
   * Decides by the video's ruleset and, if that one counts streams, takes or renews the session's
   * last of all. NOT_FOUND `RESOURCE_NOT_FOUND`, the errors of `refusePlayback` and {@link FindViewer},
   * FAILED_PRECONDITION `PLAYLIST_URL_INVALID`.
   */
  grant(session: PlaybackSession, context: HandlerContext): Promise<GrantedPlayback>;
  /** Gives the session's stream back, if it holds one. The errors of {@link FindViewer}. */
  stop(sessionKey: string, context: HandlerContext): Promise<void>;
}

/** Creates the playback of videos. */
export function createPlaybacks(parts: PlaybackParts): Playbacks {
  const { protectedVideos, findViewer, findEntitlement, leases, playlistUrls, limits } = parts;

  return {
    async grant({ videoId, sessionKey }, context) {
      const { projectId } = getProjectKey(context.values);
      const { now } = getRequest(context.values);
      const found = await protectedVideos.find(projectId, videoId);
      const viewer = await findViewer(context);
      const { rulesets, content, video } = found;
      const ruleset = pickRuleset(rulesets, content, viewer.country, now.getTime());
      let facts: Viewer = viewer;
      let maxStreams = 0;
      let decision = decide(ruleset, facts);
      if (decision.kind === "needs_entitlement") {
        const coverage = await findEntitlement(found, decision.userId, now);
        facts = { ...facts, entitlement: coverage !== undefined };
        maxStreams = coverage?.maxStreams ?? 0;
        decision = decide(ruleset, facts);
      }

      const allowance = requireAllowance(decision);
      const expireTime = toPlaylistEnd(limits, allowance.enforceConcurrency, now);
      const playlistUrl = playlistUrls.sign(video.playlistUrl, {
        projectId,
        expireTime,
        sessionKey,
        ...(allowance.bindAddress && { address: viewer.address }),
      });
      if (allowance.enforceConcurrency && viewer.userId !== undefined) {
        const lease = { projectId, userId: viewer.userId, sessionKey };
        const result = await leases.claim({
          ...lease,
          videoId,
          limit: maxStreams || limits.maxStreams,
          now,
          expireTime: toLeaseEnd(limits, now),
        });
        if (result.kind === "full") {
          requireAllowance(decide(ruleset, { ...facts, hasStream: false }), result.sessionKeys);
        }
        // Nobody is there to keep or stop the stream of a call that was given up.
        if (context.signal.aborted) await leases.release(lease);
      }
      return { playlistUrl, expireTime, allowance };
    },

    async stop(sessionKey, context) {
      const { projectId } = getProjectKey(context.values);
      const { userId } = await findViewer(context);
      if (userId !== undefined) await leases.release({ projectId, userId, sessionKey });
    },
  };
}

function requireAllowance(
  decision: ReturnType<typeof decide>,
  sessionKeys: readonly string[] = [],
): Allowance {
  switch (decision.kind) {
    case "allow":
      return decision;
    case "deny":
      throw refusePlayback(decision, sessionKeys);
    case "needs_entitlement":
      throw unanswered(decision);
    default:
      return decision satisfies never;
  }
}

function unanswered({ userId }: NeedsEntitlement): Error {
  return new Error(`the entitlement of ${userId} was looked up and is asked for again`);
}
