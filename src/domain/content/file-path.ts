/** A segment that some server may take for a parent folder, a separator or the end of the path. */
const UNSAFE_SEGMENT = /^\.{1,2}(?:[ ;]|$)|[\p{Cc}\\]|%(?:2e|2f|5c)/iu;

/**
 * Splits the path of a URL into segments as a file server does: percent-decoded once, byte by byte, then
 * split at slashes, so that `%2F` separates too and every spelling of a path gives the same segments. The
 * last segment is the file name; empty for a folder.
 *
 * Returns undefined for a path that servers could interpret differently: without a leading slash, with a
 * `.` or `..` segment, a backslash, a control character, a broken escape, a fragment, or escapes that a
 * second decoding would turn into one of these.
 */
export function readFilePath(path: string): readonly string[] | undefined {
  if (!path.startsWith("/") || /#|%(?![0-9a-f]{2})/i.test(path)) return undefined;
  const decoded = path.replace(/%(..)/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  // No request line holds characters above a byte, so servers differ in how they treat them.
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
