import type { PlaylistUrls } from "../../auth/playlist-url.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import {
  type Allowance,
  type Denial,
  type DenialReason,
  decide,
  type NeedsEntitlement,
  pickRuleset,
  type Viewer,
} from "../../domain/protection/index.ts";
import {
  type PlaybackLimits,
  toLeaseEnd,
  toPlaylistEnd,
} from "../../domain/protection/playback-limits.ts";
import type { Store } from "../../storage/store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { FindViewer } from "./find-viewer.ts";
import type { FindOpeningOffers } from "./opening-offers.ts";
import type { ProtectedVideos } from "./protected-video.ts";

/** The dependencies of playback. */
export interface PlaybackParts {
  readonly protectedVideos: ProtectedVideos;
  readonly findViewer: FindViewer;
  readonly entitlements: Pick<Store["entitlements"], "covers">;
  readonly findOpeningOffers: FindOpeningOffers;
  readonly leases: Store["leases"];
  readonly playlistUrls: Pick<PlaylistUrls, "sign">;
  readonly limits: PlaybackLimits;
}

/** The video, and the session of the viewer's player. */
export interface PlaybackSession {
  readonly videoId: string;
  readonly sessionKey: string;
}

/** Playback that is allowed. */
export interface GrantedPlayback {
  readonly playlistUrl: string;
  readonly expireTime: Date;
  readonly allowance: Allowance;
  /** The error of an ignored viewer token; undefined if the token is valid or absent. */
  readonly tokenFault: DomainError | undefined;
}

/** The playback of videos. */
export interface Playbacks {
  /**
   * Decides by the video's ruleset and, if it limits concurrent streams, acquires or renews the session's
   * stream. Throws the errors of {@link ProtectedVideos} and `refusePlayback`, FAILED_PRECONDITION
   * `PLAYLIST_URL_INVALID`.
   */
  grant(session: PlaybackSession, call: DeliveryCall): Promise<GrantedPlayback>;
  /** Releases the session's stream, if the viewer is known and the session holds one. */
  stop(sessionKey: string, call: DeliveryCall): Promise<Pick<GrantedPlayback, "tokenFault">>;
}

/** Creates the playback of videos. */
export function createPlaybacks(parts: PlaybackParts): Playbacks {
  const { protectedVideos, findViewer, entitlements, leases, playlistUrls, limits } = parts;

  return {
    async grant({ videoId, sessionKey }, call) {
      const key = call.key;
      const { projectId } = key;
      const { now } = call;
      const { video, selection } = await protectedVideos.find(projectId, videoId, now);
      const viewer = await findViewer(call);
      const { tokenFault } = viewer;
      const ruleset = pickRuleset(selection, viewer.country);
      let facts: Viewer = viewer;
      let maxStreams = 0;
      let decision = decide(ruleset, facts);
      if (decision.kind === "needs_entitlement") {
        const { userId } = decision;
        const coverage = await entitlements.covers({ projectId, userId, now, videoId: video.id });
        facts = { ...facts, entitlement: coverage !== undefined };
        maxStreams = coverage?.maxStreams ?? 0;
        decision = decide(ruleset, facts);
      }

      const needsOffer = decision.kind === "deny" && decision.reason === "ENTITLEMENT_REQUIRED";
      const offerIds = needsOffer ? await parts.findOpeningOffers(key, videoId) : [];
      const allowance = requireAllowance(decision, { tokenFault, offerIds });
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
          const { sessionKeys, freeTime } = result;
          const retryAfter = freeTime && toSecondsUntil(freeTime, now);
          requireAllowance(decide(ruleset, { ...facts, hasStream: false }), {
            ...{ tokenFault, sessionKeys, retryAfter },
          });
        }
        // The client of a cancelled call can neither keep nor stop the stream.
        if (call.signal.aborted) await leases.release(lease);
      }
      return { playlistUrl, expireTime, allowance, tokenFault };
    },

    async stop(sessionKey, call) {
      const { projectId } = call.key;
      const { userId, tokenFault } = await findViewer(call);
      if (userId !== undefined) await leases.release({ projectId, userId, sessionKey });
      return { tokenFault };
    },
  };
}

function requireAllowance(decision: ReturnType<typeof decide>, facts: DenialFacts): Allowance {
  switch (decision.kind) {
    case "allow":
      return decision;
    case "deny":
      throw refusePlayback(decision, facts);
    case "needs_entitlement":
      throw unanswered(decision);
    default:
      return decision satisfies never;
  }
}

/** Counts the whole seconds until a time, at least one. */
function toSecondsUntil(time: Date, now: Date): number {
  return Math.max(1, Math.ceil((time.getTime() - now.getTime()) / 1_000));
}

function unanswered({ userId }: NeedsEntitlement): Error {
  return new Error(`the entitlement of ${userId} was looked up and is asked for again`);
}

const DENIALS: Readonly<Record<DenialReason, readonly [code: Code, message: string]>> = {
  GEO_NOT_ALLOWED: [Code.PERMISSION_DENIED, "the video does not play in the viewer's country"],
  VPN_NOT_ALLOWED: [Code.PERMISSION_DENIED, "the video does not play over a VPN"],
  DOMAIN_NOT_ALLOWED: [Code.PERMISSION_DENIED, "the video does not play on this site"],
  AUTHENTICATION_REQUIRED: [Code.UNAUTHENTICATED, "the video requires a viewer token"],
  ENTITLEMENT_REQUIRED: [Code.PERMISSION_DENIED, "the viewer is not entitled to the video"],
  CONCURRENCY_LIMIT_REACHED: [
    Code.RESOURCE_EXHAUSTED,
    "the viewer's streams are all in use by other sessions",
  ],
};

/** The facts of a refusal beside its rule. */
export interface DenialFacts {
  /** The error of the viewer token, if it is ignored. */
  readonly tokenFault: DomainError | undefined;
  /** The offers that would entitle to the video, if it requires an entitlement. */
  readonly offerIds?: readonly string[];
  /** The sessions that hold the streams. */
  readonly sessionKeys?: readonly string[];
  /** The seconds until a stream is free, unless it is renewed. */
  readonly retryAfter?: number | undefined;
}

/**
 * Creates the error by which a ruleset refuses playback: the denial's reason, and in its metadata
 * `ruleset_id`, `rule` and, with a comma between several, `offer_ids` of `ENTITLEMENT_REQUIRED` and
 * `session_keys` of `CONCURRENCY_LIMIT_REACHED`. UNAUTHENTICATED for `AUTHENTICATION_REQUIRED`,
 * RESOURCE_EXHAUSTED for `CONCURRENCY_LIMIT_REACHED`, PERMISSION_DENIED for the others.
 *
 * An invalid viewer token is the reason itself if authentication is required; otherwise
 * `ignored_viewer_token_reason` contains it.
 */
export function refusePlayback(
  { reason, rulesetId, rule }: Pick<Denial, "reason" | "rulesetId" | "rule">,
  { tokenFault, offerIds = [], sessionKeys = [], retryAfter }: DenialFacts,
): DomainError {
  const [code, message] = DENIALS[reason];
  const decision = { ruleset_id: rulesetId, rule };
  if (reason === "AUTHENTICATION_REQUIRED" && tokenFault !== undefined) {
    return new DomainError(code, tokenFault.reason, `${message}: ${tokenFault.message}`, {
      metadata: { ...tokenFault.metadata, ...decision },
      cause: tokenFault,
    });
  }
  return new DomainError(code, reason, message, {
    metadata: {
      ...decision,
      ...(offerIds.length > 0 && { offer_ids: offerIds.join(",") }),
      ...(sessionKeys.length > 0 && { session_keys: sessionKeys.join(",") }),
      ...(tokenFault !== undefined && { ignored_viewer_token_reason: tokenFault.reason }),
    },
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
