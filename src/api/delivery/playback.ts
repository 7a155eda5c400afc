import { durationFromMs, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { PlaybackService } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import { invalidField } from "../../domain/errors.ts";
import type { PlaybackLimits } from "../../domain/protection/playback-limits.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import type { GrantedPlayback, Playbacks } from "./playback-session.ts";

const SESSION_KEY = /^[\w.~-]{1,128}$/;

/** Creates the handlers of playback. */
export function createPlaybackHandlers(
  playbacks: Playbacks,
  { keepAliveInterval }: Pick<PlaybackLimits, "keepAliveInterval">,
  createId: () => string,
): Handlers<typeof PlaybackService, DeliveryCall> {
  const toAnswer = (
    sessionKey: string,
    { playlistUrl, expireTime, tokenFault }: GrantedPlayback,
  ) => ({
    playlistUrl,
    expireTime: timestampFromDate(expireTime),
    sessionKey,
    keepAliveInterval: durationFromMs(keepAliveInterval),
    ignoredViewerTokenReason: tokenFault?.reason ?? "",
  });

  return {
    async authorizePlayback({ videoId, sessionKey: sent }, call) {
      const sessionKey = sent === "" ? createId() : sent;
      checkSessionKey(sessionKey);
      const granted = await playbacks.grant({ videoId, sessionKey }, call);
      const { drm, rulesetId = "" } = granted.allowance;
      return { ...toAnswer(sessionKey, granted), rulesetId, ...(drm && { drm }) };
    },

    async keepPlayback({ videoId, sessionKey }, call) {
      checkSessionKey(sessionKey);
      return toAnswer(sessionKey, await playbacks.grant({ videoId, sessionKey }, call));
    },

    async stopPlayback({ sessionKey }, call) {
      checkSessionKey(sessionKey);
      const { tokenFault } = await playbacks.stop(sessionKey, call);
      return { ignoredViewerTokenReason: tokenFault?.reason ?? "" };
    },
  };
}

function checkSessionKey(sessionKey: string): void {
  if (SESSION_KEY.test(sessionKey)) return;
  throw invalidField(
    "session_key",
    "SESSION_KEY_INVALID",
    "must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -",
  );
}
