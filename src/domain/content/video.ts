import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { checkField } from "../base/field-errors.ts";
import { compareTimes, ZERO_TIME } from "../base/time.ts";
import { isHttpUrl } from "../validation/url-fields.ts";
import { checkAvailability } from "./window.ts";

/**
 * Checks a video. INVALID_ARGUMENT `PLAYLIST_URL_INVALID` for a playlist URL that
 * {@link parsePlaylistAddress} rejects, `DURATION_INVALID` for a duration that is not positive, or `WINDOW_INVALID`.
 */
export function checkVideo(video: Video, path: string): void {
  const { playlistUrl, duration } = video;
  if (playlistUrl !== "") {
    const parsed = parsePlaylistUrl(playlistUrl);
    const error = parsed.kind === "invalid" ? parsed.error : "";
    checkField(error === "", `${path}.playlist_url`, "PLAYLIST_URL_INVALID", error);
  }
  const isPositive = duration === undefined || compareTimes(duration, ZERO_TIME) > 0;
  checkField(isPositive, `${path}.duration`, "DURATION_INVALID", "must be positive");
  checkAvailability(video, path);
}

/** A parsed playlist URL, or its error in English. */
type PlaylistUrl =
  | {
      readonly kind: "valid";
      readonly url: URL;
      /** The folder of the playlist, at least one segment; a playback token grants access to it. */
      readonly folder: readonly string[];
    }
  | { readonly kind: "invalid"; readonly error: string };

/** The text that a URL parser resolves before the path is read: a backslash, and `.` and `..` segments, also escaped. */
const REWRITTEN = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Parses the URL of a playlist: absolute, http or https, without credentials, with an unambiguous path and
 * at least one folder. A playback token grants access to the playlist's folder; without one that would be
 * the whole host (contract: playback 6).
 */
export function parsePlaylistUrl(text: string): PlaylistUrl {
  const url = isHttpUrl(text) ? URL.parse(text) : null;
  if (url === null) return invalid("must be an absolute http or https URL");
  if (url.username !== "" || url.password !== "") {
    return invalid("must not have a user name or password");
  }
  const [written = ""] = text.split(/[?#]/);
  const path = REWRITTEN.test(written) ? undefined : readFilePath(url.pathname);
  if (path === undefined) {
    return invalid(
      "must not have a backslash, a '.' or '..' segment, an escape of one or a control character in its path",
    );
  }
  const folder = path.slice(0, -1);
  if (folder.length === 0) {
    return invalid(
      "must be in a folder, such as /match-1/main.m3u8: a playback token grants access to the whole folder of its playlist",
    );
  }
  if (folder.includes("")) return invalid("must not have an empty folder ('//') in its path");
  return { kind: "valid", url, folder };
}

function invalid(error: string): PlaylistUrl {
  return { kind: "invalid", error };
}

/** A segment that some server may take for a parent folder, a separator or the end of the path. */
const UNSAFE_SEGMENT = /^\.{1,2}(?:[ ;]|$)|[\p{Cc}\\]|%(?:2e|2f|5c)/iu;

/**
 * Splits the path of a URL into segments as a file server does: percent-decoded once, byte by byte, then split at
 * slashes. `%2F` therefore separates too, and every spelling of a path has the same segments. The last segment is the
 * file name; empty for a folder.
 *
 * Returns undefined for a path that servers could interpret differently:
 * - without a leading slash,
 * - with a `.` or `..` segment, a backslash, a control character, a broken escape or a fragment,
 * - with escapes that a second decoding would turn into one of these.
 */
export function readFilePath(path: string): readonly string[] | undefined {
  if (!path.startsWith("/") || /#|%(?![0-9a-f]{2})/i.test(path)) return undefined;
  const decoded = path.replace(/%(..)/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  // A request line has no characters above one byte, so servers differ in how they treat them.
  if (/[^\p{Cc}\x20-\xff]/u.test(decoded)) return undefined;
  const segments = decoded.slice(1).split("/");
  return segments.some((segment) => UNSAFE_SEGMENT.test(segment)) ? undefined : segments;
}

/** Writes the path of a folder, `/a/b/`, escaped for use in a header. */
export function printFolder(segments: readonly string[]): string {
  return ["", ...segments.map(encode), ""].join("/");
}

function encode(segment: string): string {
  return segment.replace(
    /[^\w.~!$&'()*+=:@-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
