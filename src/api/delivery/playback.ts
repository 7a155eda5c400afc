import { durationFromMs, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { PlaybackService } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import { invalidField } from "../../domain/errors.ts";
import type { PlaybackLimits } from "../../domain/protection/playback-limits.ts";
import type { GrantedPlayback, Playbacks } from "./playback-session.ts";

const SESSION_KEY = /^[\w.~-]{1,128}$/;

/** Creates the handlers of playback. */
export function createPlaybackHandlers(
  playbacks: Playbacks,
  { keepAliveInterval }: Pick<PlaybackLimits, "keepAliveInterval">,
  createId: () => string,
): ServiceImpl<typeof PlaybackService> {
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
    async authorizePlayback({ videoId, sessionKey: sent }, context) {
      const sessionKey = sent === "" ? createId() : sent;
      checkSessionKey(sessionKey);
      const granted = await playbacks.grant({ videoId, sessionKey }, context);
      const { drm, rulesetId = "" } = granted.allowance;
      return { ...toAnswer(sessionKey, granted), rulesetId, ...(drm && { drm }) };
    },

    async keepPlayback({ videoId, sessionKey }, context) {
      checkSessionKey(sessionKey);
      return toAnswer(sessionKey, await playbacks.grant({ videoId, sessionKey }, context));
    },

    async stopPlayback({ sessionKey }, context) {
      checkSessionKey(sessionKey);
      const { tokenFault } = await playbacks.stop(sessionKey, context);
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
