/** How playback is limited, in this installation. */
export interface PlaybackLimits {
  /** How many streams a viewer may have at the same time, unless an offer says another number. */
  readonly maxStreams: number;
  /** How often a player says that it goes on, in milliseconds. */
  readonly keepAliveInterval: number;
  /** How long a signed address lasts that no stream is counted for, in milliseconds. */
  readonly playlistTtl: number;
}

/** The limits of an installation that sets none. */
export const DEFAULT_PLAYBACK_LIMITS: PlaybackLimits = {
  maxStreams: 3,
  keepAliveInterval: 30_000,
  playlistTtl: 6 * 3_600_000,
};

/** A stream whose player is silent for so many intervals falls away: two calls may get lost. */
const SILENT_INTERVALS = 3;

/** How long the address of a counted stream lasts beyond the next call that renews it. */
const GRACE = 5 * 60_000;

/** Tells when a stream ends that is kept now. */
export function toLeaseEnd({ keepAliveInterval }: PlaybackLimits, now: Date): Date {
  return new Date(now.getTime() + SILENT_INTERVALS * keepAliveInterval);
}

/**
 * Tells when an address that is signed now ends, in whole seconds. Where streams are counted it ends
 * soon after the interval in which it is signed anew, so that a viewer whose stream was taken does
 * not go on for hours.
 */
export function toPlaylistEnd(limits: PlaybackLimits, isCounted: boolean, now: Date): Date {
  const { playlistTtl, keepAliveInterval } = limits;
  const lasts = isCounted ? Math.min(playlistTtl, keepAliveInterval + GRACE) : playlistTtl;
  return new Date(Math.floor((now.getTime() + lasts) / 1_000) * 1_000);
}
