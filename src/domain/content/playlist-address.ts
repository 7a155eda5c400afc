import { isHttpUrl } from "../validation/urls.ts";
import { readFilePath } from "./file-path.ts";

/** A parsed playlist URL, or its fault in English. */
export type PlaylistAddress =
  | {
      readonly kind: "address";
      readonly url: URL;
      /** The folder of the playlist, to which a playback token grants access; at least one segment. */
      readonly folder: readonly string[];
    }
  | { readonly kind: "invalid"; readonly fault: string };

/** What a URL parser resolves before the path is read: a backslash, and `.` and `..` segments, also escaped. */
const REWRITTEN = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Parses the URL of a playlist: absolute, http or https, without credentials, with an unambiguous path and
 * at least one folder. A playback token grants access to the playlist's folder; without one that would be
 * the whole host (contract: playback 6).
 */
export function parsePlaylistAddress(text: string): PlaylistAddress {
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
  return { kind: "address", url, folder };
}

function invalid(fault: string): PlaylistAddress {
  return { kind: "invalid", fault };
}
