import { Code, DomainError } from "./errors.ts";

/** An ETag with its quotes: `"42"`. */
export type ETag = string;

/** Returns the strong ETag of a revision. */
export function toETag(revision: number): ETag {
  return `"${revision.toString(36)}"`;
}

/**
 * Parses an If-Match header and returns its check of the current tag, which is undefined if the resource does not exist.
 * Without a header any state matches, `*` requires that the resource exists, and a weak tag never matches.
 * INVALID_ARGUMENT `IF_MATCH_MALFORMED` for any other header. The check throws ABORTED `ETAG_MISMATCH`, with the current
 * tag in the metadata.
 */
export function parseIfMatch(header: string | undefined): (current: ETag | undefined) => void {
  if (header === undefined) return () => {};
  const isAny = header.trim() === "*";
  const tags = isAny ? [] : parseTags(header);
  if (tags === undefined) {
    throw new DomainError(
      Code.INVALID_ARGUMENT,
      "IF_MATCH_MALFORMED",
      'If-Match must be "*" or a comma-separated list of quoted ETags',
    );
  }
  return (current) => {
    if (current !== undefined && (isAny || tags.includes(current))) return;
    throw new DomainError(
      Code.ABORTED,
      "ETAG_MISMATCH",
      current === undefined
        ? "If-Match does not match: the resource does not exist"
        : `If-Match does not match: the current ETag is ${current}; read the resource again`,
      { metadata: { etag: current ?? "" } },
    );
  };
}

/** Reports whether an If-None-Match header matches the tag by weak comparison (RFC 9110 13.1.2). */
export function matchesIfNoneMatch(header: string | null, tag: ETag): boolean {
  if (header === null) return false;
  if (header.trim() === "*") return true;
  return parseTags(header)?.some((it) => it.replace(/^W\//, "") === tag) === true;
}

/**
 * Parses a list of at least one ETag (RFC 9110 8.8.3); elements may be empty.
 *
 *     list = [ tag ], { ",", [ tag ] } ;
 *     tag  = [ "W/" ], '"', { any visible character but '"' }, '"' ;
 */
function parseTags(header: string): ETag[] | undefined {
  const element = /[ \t]*(?:((?:W\/)?"[!#-~\u0080-\u00ff]*")[ \t]*)?(,|$)/y;
  const tags: ETag[] = [];
  for (let from = 0; from <= header.length; from = element.lastIndex) {
    element.lastIndex = from;
    const [, tag, end] = element.exec(header) ?? [];
    if (end === undefined) return undefined;
    if (tag !== undefined) tags.push(tag);
    if (end === "") break;
  }
  return tags.length === 0 ? undefined : tags;
}
