/** The playback limits of an installation. */
export interface PlaybackLimits {
  /** Maximum number of concurrent streams of a viewer, unless an offer overrides it. */
  readonly maxStreams: number;
  /** Interval of the keep-alives that players send, in milliseconds. */
  readonly keepAliveInterval: number;
  /** Lifetime of a signed URL without a counted stream, in milliseconds. */
  readonly playlistTtl: number;
}

/** The default playback limits. */
export const DEFAULT_PLAYBACK_LIMITS: PlaybackLimits = {
  maxStreams: 3,
  keepAliveInterval: 30_000,
  playlistTtl: 6 * 3_600_000,
};

/** Number of intervals without a keep-alive that end a stream: two calls may be lost. */
const SILENT_INTERVALS = 3;

/** Lifetime of the URL of a counted stream beyond the next keep-alive, which renews it. */
const GRACE = 5 * 60_000;

/** Returns the end of a stream that is kept alive now, without another keep-alive. */
export function toLeaseEnd({ keepAliveInterval }: PlaybackLimits, now: Date): Date {
  return new Date(now.getTime() + SILENT_INTERVALS * keepAliveInterval);
}

/**
 * Returns the expiration of a URL signed now, in whole seconds. If streams are counted, it expires soon after the
 * next keep-alive: a viewer without a stream cannot continue for hours. It is not after `until`, the first time in Unix
 * milliseconds when the decision may change.
 */
export function toPlaylistEnd(
  limits: PlaybackLimits,
  { isCounted, until }: { readonly isCounted: boolean; readonly until: number },
  now: Date,
): Date {
  const { playlistTtl, keepAliveInterval } = limits;
  const lasts = isCounted ? Math.min(playlistTtl, keepAliveInterval + GRACE) : playlistTtl;
  return new Date(Math.floor(Math.min(now.getTime() + lasts, until) / 1_000) * 1_000);
}
