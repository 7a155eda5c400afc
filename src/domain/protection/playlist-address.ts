import { readFilePath } from "../content/file-path.ts";
import { isHttpUrl } from "../content/links.ts";

/** The address of a playlist, or why it cannot be one; `fault` is English and says what to do. */
export type PlaylistAddress =
  | {
      readonly kind: "address";
      readonly url: URL;
      /** The folder of the playlist, which a playback token opens; at least one segment. */
      readonly folder: readonly string[];
    }
  | { readonly kind: "invalid"; readonly fault: string };

/**
 * Parses the address of a playlist: absolute, http or https, without credentials, its path one that
 * every server reads the same way, and with a folder. A playback token opens the playlist's folder,
 * which for a playlist in none would be the whole host (CONTRACT 6 Playback).
 */
export function parsePlaylistAddress(text: string): PlaylistAddress {
  const url = isHttpUrl(text) ? URL.parse(text) : null;
  if (url === null) return invalid("it must be an absolute http or https URL");
  if (url.username !== "" || url.password !== "") {
    return invalid("it must not hold a user name or a password");
  }
  const path = readFilePath(url.pathname);
  if (path === undefined) {
    return invalid("its path must not hold a backslash, an escaped '..' or a control character");
  }
  const folder = path.slice(0, -1);
  if (folder.length === 0) {
    return invalid(
      "it must lie in a folder, such as /match-1/main.m3u8: a playback token opens the whole folder of its playlist",
    );
  }
  if (folder.includes("")) return invalid("its path must not hold an empty folder ('//')");
  return { kind: "address", url, folder };
}

function invalid(fault: string): PlaylistAddress {
  return { kind: "invalid", fault };
}
