import { toJson } from "@bufbuild/protobuf";
import { durationFromMs, TimestampSchema, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { PlaybackService } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import type { Window } from "../../../gen/svc/type/v1/window_pb.ts";
import type { PlaylistUrls } from "../../auth/playlist-url.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { checkField } from "../../domain/base/field-errors.ts";
import { toDate } from "../../domain/base/time.ts";
import { isOpen, toPeriod } from "../../domain/content/window.ts";
import {
  type Allowance,
  type Decision,
  type Denial,
  type DenialReason,
  decide,
  lacksEntitlement,
} from "../../domain/protection/decide.ts";
import {
  type PlaybackLimits,
  toLeaseEnd,
  toPlaylistEnd,
} from "../../domain/protection/playback-limits.ts";
import { pickRuleset } from "../../domain/protection/video-selection.ts";
import type { VisibilityScope } from "../../storage/contract/content-store.ts";
import type { Coverage } from "../../storage/contract/monetization.ts";
import type { Store } from "../../storage/contract/store.ts";
import { ScopeMemo } from "../reads/revision-memo.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import { type DeliveryService, implement } from "../steps/service.ts";
import type { ProtectedVideos } from "./protected-video.ts";
import type { Viewers } from "./viewers.ts";

const SESSION_KEY = /^[\w.~-]{1,128}$/;

/** Creates the service of playback; `createId` creates the keys of sessions. */
export function createPlaybackService(
  playbacks: Playbacks,
  { keepAliveInterval }: PlaybackLimits,
  createId: () => string,
): DeliveryService {
  const toResponse = (
    sessionKey: string,
    { playlistUrl, expireTime, tokenError }: GrantedPlayback,
  ) => ({
    playlistUrl,
    expireTime: timestampFromDate(expireTime),
    sessionKey,
    keepAliveInterval: durationFromMs(keepAliveInterval),
    ignoredViewerTokenReason: tokenError?.reason ?? "",
  });

  return implement(PlaybackService, {
    async authorizePlayback({ videoId, sessionKey: sent }, call) {
      const sessionKey = sent === "" ? createId() : sent;
      checkSessionKey(sessionKey);
      const granted = await playbacks.grant(videoId, sessionKey, call);
      const { drm, rulesetId = "" } = granted.allowance;
      return { ...toResponse(sessionKey, granted), rulesetId, ...(drm && { drm }) };
    },

    async keepPlayback({ videoId, sessionKey }, call) {
      checkSessionKey(sessionKey);
      return toResponse(sessionKey, await playbacks.grant(videoId, sessionKey, call));
    },

    async stopPlayback({ sessionKey }, call) {
      checkSessionKey(sessionKey);
      const { tokenError } = await playbacks.stop(sessionKey, call);
      return { ignoredViewerTokenReason: tokenError?.reason ?? "" };
    },
  });
}

function checkSessionKey(sessionKey: string): void {
  const description = "must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -";
  checkField(SESSION_KEY.test(sessionKey), "session_key", "SESSION_KEY_INVALID", description);
}

interface PlaybackSources {
  readonly store: Pick<Store, "entitlements" | "knownRevision" | "leases"> & {
    readonly offers: Pick<Store["offers"], "listOpening">;
  };
  readonly protectedVideos: ProtectedVideos;
  readonly viewers: Viewers;
  readonly playlistUrls: Pick<PlaylistUrls, "sign">;
  readonly playbackLimits: PlaybackLimits;
}

/** Playback that is allowed. */
interface GrantedPlayback {
  readonly playlistUrl: string;
  readonly expireTime: Date;
  readonly allowance: Allowance;
  /** The error of an ignored viewer token; undefined if the token is valid or absent. */
  readonly tokenError: DomainError | undefined;
}

/** The maximum number of offers that a denial names. */
const MOST_OFFERS = 20;

/** The number of videos whose offers are cached. */
const MOST_VIDEOS = 10_000;

/** The playback of videos. */
export class Playbacks {
  readonly #sources: PlaybackSources;
  readonly #offers: ScopeMemo<readonly string[]>;

  constructor(sources: PlaybackSources) {
    this.#sources = sources;
    this.#offers = new ScopeMemo(sources.store, MOST_VIDEOS);
  }

  /**
   * Decides by the video's ruleset and, if it limits concurrent streams, acquires or renews the session's
   * stream. Throws the errors of {@link ProtectedVideos} and `denyPlayback`, FAILED_PRECONDITION `VIDEO_NOT_AVAILABLE` for
   * a video outside of its window, or `PLAYLIST_URL_INVALID`.
   */
  async grant(videoId: string, sessionKey: string, call: DeliveryCall): Promise<GrantedPlayback> {
    const { store, protectedVideos, viewers, playlistUrls, playbackLimits } = this.#sources;
    const { listed, now, budget } = call;
    const { at, projectId } = listed;
    const { video, selection } = await protectedVideos.find({ projectId, videoId, now, budget });
    const { availability } = video;
    if (availability && !isOpen(availability, at)) throw denyOutside(availability, now);
    const end = at && availability?.endTime;
    const viewer = await viewers.find(call);
    const { tokenError } = viewer;
    const ruleset = pickRuleset(selection, viewer.country);
    const { country, userId } = viewer;
    let decision = decide(ruleset, viewer);
    let coverage: Coverage | undefined;
    if (lacksEntitlement(decision) && userId !== undefined) {
      const watched = { projectId, userId, now, budget, videoId: video.id };
      coverage = await store.entitlements.covers(watched);
      if (coverage) decision = decide(ruleset, { ...viewer, entitlement: true });
    }

    const offerIds = lacksEntitlement(decision)
      ? await this.#listOpeningOffers(listed, videoId)
      : [];
    const allowance = requireAllowance(decision, { country, tokenError, offerIds });
    const readsToken = allowance.inputs.includes("authentication");
    const ends = [coverage?.endTime, readsToken ? viewer.tokenEnd : undefined, end && toDate(end)];
    const until = Math.min(selection.until, ...ends.map((end) => end?.getTime() ?? Infinity));
    const span = { isCounted: allowance.enforceConcurrency, until };
    const expireTime = toPlaylistEnd(playbackLimits, span, now);
    const playlistUrl = playlistUrls.sign(video.playlistUrl, {
      projectId,
      expireTime,
      sessionKey,
      ...(allowance.bindAddress && { address: viewer.address }),
    });
    if (allowance.enforceConcurrency && userId !== undefined) {
      const lease = { projectId, userId, sessionKey };
      const result = await store.leases.claim({
        ...lease,
        videoId,
        limit: coverage?.maxStreams || playbackLimits.maxStreams,
        now,
        expireTime: toLeaseEnd(playbackLimits, now),
      });
      if (result.kind === "full") {
        const { sessionKeys, freeTime } = result;
        const retryAfter = freeTime && toSecondsUntil(freeTime, now);
        const denied = decide(ruleset, { ...viewer, entitlement: true, hasStream: false });
        requireAllowance(denied, { country, tokenError, sessionKeys, retryAfter });
      }
      // The client of a cancelled call can neither keep nor stop the stream.
      if (call.signal.aborted) await store.leases.release(lease);
    }
    return { playlistUrl, expireTime, allowance, tokenError };
  }

  /** Releases the session's stream, if the viewer is known and the session has one. */
  async stop(sessionKey: string, call: DeliveryCall): Promise<Pick<GrantedPlayback, "tokenError">> {
    const { store, viewers } = this.#sources;
    const { projectId } = call.key;
    const { userId, tokenError } = await viewers.find(call);
    if (userId !== undefined) await store.leases.release({ projectId, userId, sessionKey });
    return { tokenError };
  }

  /** Lists the ids of offers that would entitle to a video, as `ListOffers` shows and orders them. */
  #listOpeningOffers(listed: VisibilityScope, videoId: string): Promise<readonly string[]> {
    const query = { ...listed, videoId, limit: MOST_OFFERS };
    return this.#offers.find(query, (scope) => this.#sources.store.offers.listOpening(scope));
  }
}

function requireAllowance(decision: Decision, facts: DenialFacts): Allowance {
  if (decision.kind === "deny") throw denyPlayback(decision, facts);
  return decision;
}

/**
 * Creates the error of a video that is not available, with the metadata `available_time` before its window and `end_time`
 * after it.
 */
function denyOutside(window: Window, now: Date): DomainError {
  const { startTime, endTime } = window;
  const isBefore = now.getTime() < toPeriod(window).from;
  const time = isBefore ? startTime : endTime;
  const text = time === undefined ? "" : toJson(TimestampSchema, time);
  const message = isBefore ? `the video plays from ${text}` : `the video played until ${text}`;
  return new DomainError(Code.FAILED_PRECONDITION, "VIDEO_NOT_AVAILABLE", message, {
    metadata: { rule: "availability", [isBefore ? "available_time" : "end_time"]: text },
  });
}

/** Counts the whole seconds until a time, at least one. */
function toSecondsUntil(time: Date, now: Date): number {
  return Math.max(1, Math.ceil((time.getTime() - now.getTime()) / 1_000));
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

/** The facts of a denial besides its rule. */
interface DenialFacts {
  /** The country of the viewer; undefined: unknown. */
  readonly country: string | undefined;
  /** The error of the viewer token, if it is ignored. */
  readonly tokenError: DomainError | undefined;
  /** The offers that would entitle to the video, if it requires an entitlement. */
  readonly offerIds?: readonly string[];
  /** The sessions with the viewer's streams. */
  readonly sessionKeys?: readonly string[];
  /** The seconds until a stream is free, unless it is renewed. */
  readonly retryAfter?: number | undefined;
}

/**
 * Creates the error of a denied playback. It has the denial's reason, and the metadata `ruleset_id` and `rule`.
 * `ENTITLEMENT_REQUIRED` adds `offer_ids`, and `CONCURRENCY_LIMIT_REACHED` adds `session_keys`; both are lists with
 * commas. UNAUTHENTICATED for `AUTHENTICATION_REQUIRED`, RESOURCE_EXHAUSTED for `CONCURRENCY_LIMIT_REACHED`,
 * PERMISSION_DENIED for the others.
 *
 * An invalid viewer token is the reason itself if authentication is required; otherwise `ignored_viewer_token_reason`
 * contains it.
 */
function denyPlayback(
  { reason, rulesetId, rule }: Pick<Denial, "reason" | "rulesetId" | "rule">,
  { country, tokenError, offerIds = [], sessionKeys = [], retryAfter }: DenialFacts,
): DomainError {
  const [code, text] = DENIALS[reason];
  const isUnknown = reason === "GEO_NOT_ALLOWED" && country === undefined;
  const message = isUnknown
    ? "the video plays in some countries, and the viewer's is unknown"
    : text;
  const decision = { ruleset_id: rulesetId, rule };
  if (reason === "AUTHENTICATION_REQUIRED" && tokenError !== undefined) {
    return new DomainError(code, tokenError.reason, `${message}: ${tokenError.message}`, {
      metadata: { ...tokenError.metadata, ...decision },
      cause: tokenError,
    });
  }
  return new DomainError(code, reason, message, {
    metadata: {
      ...decision,
      ...(offerIds.length > 0 && { offer_ids: offerIds.join(",") }),
      ...(sessionKeys.length > 0 && { session_keys: sessionKeys.join(",") }),
      ...(tokenError !== undefined && { ignored_viewer_token_reason: tokenError.reason }),
    },
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
