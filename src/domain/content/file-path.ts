/** What some server may take for a step up, a separator or an end of the path. */
const UNSAFE_SEGMENT = /^\.{1,2}(?:[ ;]|$)|[\p{Cc}\\]|%(?:2e|2f|5c)/iu;

/**
 * Reads the path of an address as a file server does: percent-decoded once, byte by byte, then split
 * at its slashes, so that `%2F` separates too and every spelling of a path gives the same segments.
 * The last segment is the file's name; empty for a folder.
 *
 * Undefined for a path that two servers could read in two ways: one without a slash at its beginning,
 * with a `.` or `..` segment, a backslash, a control character, a broken escape, a fragment, or what
 * a second decoding would turn into a step up.
 */
export function readFilePath(path: string): readonly string[] | undefined {
  if (!path.startsWith("/") || /#|%(?![0-9a-f]{2})/i.test(path)) return undefined;
  const decoded = path.replace(/%(..)/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  // Above a byte, which no request line holds, nothing is said of what a server makes of it.
  if (/[^\p{Cc}\x20-\xff]/u.test(decoded)) return undefined;
  const segments = decoded.slice(1).split("/");
  return segments.some((segment) => UNSAFE_SEGMENT.test(segment)) ? undefined : segments;
}

/** Writes the path of a folder, `/a/b/`, such that it may stand in a header. */
export function printFolder(segments: readonly string[]): string {
  return ["", ...segments.map(encode), ""].join("/");
}

function encode(segment: string): string {
  return segment.replace(
    /[^\w.~!$&'()*+=:@-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
