import { Code, DomainError } from "./errors.ts";

/** An ETag with its quotes: `"42"`. */
export type ETag = string;

/** A parsed If-Match header. */
export type IfMatch =
  | { readonly kind: "any_state" }
  | { readonly kind: "existing" }
  | { readonly kind: "tags"; readonly tags: readonly ETag[] };

/** Returns the strong ETag of a revision. */
export function toETag(revision: number): ETag {
  return `"${revision.toString(36)}"`;
}

/**
 * Parses an If-Match header; without one any state matches, `*` requires that the resource exists. A weak
 * tag is accepted and never matches. INVALID_ARGUMENT `IF_MATCH_MALFORMED` for anything else.
 */
export function parseIfMatch(header: string | null): IfMatch {
  if (header === null) return { kind: "any_state" };
  if (header.trim() === "*") return { kind: "existing" };
  const tags = parseTags(header);
  if (tags === undefined) {
    throw new DomainError(
      Code.INVALID_ARGUMENT,
      "IF_MATCH_MALFORMED",
      'If-Match must be "*" or a comma-separated list of quoted ETags',
    );
  }
  return { kind: "tags", tags };
}

/**
 * Checks If-Match against the current tag, which is undefined if the resource does not exist. ABORTED
 * `ETAG_MISMATCH` with the current tag in the metadata.
 */
export function checkIfMatch(ifMatch: IfMatch, current: ETag | undefined): void {
  if (matches(ifMatch, current)) return;
  throw new DomainError(
    Code.ABORTED,
    "ETAG_MISMATCH",
    current === undefined
      ? "If-Match does not match: the resource does not exist"
      : `If-Match does not match: the current ETag is ${current}; read the resource again`,
    { metadata: { etag: current ?? "" } },
  );
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

function matches(ifMatch: IfMatch, current: ETag | undefined): boolean {
  switch (ifMatch.kind) {
    case "any_state":
      return true;
    case "existing":
      return current !== undefined;
    case "tags":
      return current !== undefined && ifMatch.tags.includes(current);
  }
}
