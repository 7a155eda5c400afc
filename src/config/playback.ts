import {
  DEFAULT_PLAYBACK_LIMITS,
  type PlaybackLimits,
} from "../domain/protection/playback-limits.ts";
import { ConfigError, type Setting } from "./setting.ts";

const { maxStreams, keepAliveInterval, playlistTtl } = DEFAULT_PLAYBACK_LIMITS;

/** The settings of playback. */
export const PLAYBACK_SETTINGS: readonly Setting[] = [
  {
    flag: "playlist-ttl",
    kind: "string",
    fallback: String(playlistTtl / 1_000),
    form: "SECONDS",
    help: "how long a signed playlist address lasts; where streams are counted, at most five minutes beyond --keep-alive",
  },
  {
    flag: "keep-alive",
    kind: "string",
    fallback: String(keepAliveInterval / 1_000),
    form: "SECONDS",
    help: "how often a player says that it goes on; a stream whose player is silent for three times as long falls away",
  },
  {
    flag: "max-streams",
    kind: "string",
    fallback: String(maxStreams),
    form: "N",
    help: "how many streams a viewer may have at the same time, unless an offer says another number",
  },
];

/** Reads the limits of playback. Throws a ConfigError. */
export function readPlaybackLimits(read: { text(flag: string): string }): PlaybackLimits {
  const readNumber = (flag: string, least: number, most: number) => {
    const text = read.text(flag);
    const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new ConfigError(`--${flag} takes a number from ${least} to ${most}, not '${text}'`);
  };
  const limits = {
    maxStreams: readNumber("max-streams", 1, 1_000),
    keepAliveInterval: readNumber("keep-alive", 5, 3_600) * 1_000,
    playlistTtl: readNumber("playlist-ttl", 10, 604_800) * 1_000,
  };
  if (limits.playlistTtl > limits.keepAliveInterval) return limits;
  throw new ConfigError("--playlist-ttl must be more than --keep-alive, which signs anew");
}
