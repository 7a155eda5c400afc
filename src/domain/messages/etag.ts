import { Code, DomainError } from "../errors.ts";

/** An entity tag with its quotes: `"42"`. */
export type EntityTag = string;

/** What a caller demands of the current state: any of some tags, or just that there is one. */
export type IfMatch =
  | { readonly kind: "any_state" }
  | { readonly kind: "existing" }
  | { readonly kind: "tags"; readonly tags: readonly EntityTag[] };

/** Makes the strong entity tag of a revision. */
export function toEntityTag(revision: number): EntityTag {
  return `"${revision.toString(36)}"`;
}

/**
 * Reads an If-Match header; absent demands nothing, `*` demands that the resource exists. A weak
 * tag is kept and never matches. INVALID_ARGUMENT `IF_MATCH_MALFORMED` for anything else.
 */
export function parseIfMatch(header: string | null): IfMatch {
  if (header === null) return { kind: "any_state" };
  if (header.trim() === "*") return { kind: "existing" };
  const tags = parseTags(header);
  if (tags === undefined) {
    throw new DomainError(
      Code.INVALID_ARGUMENT,
      "IF_MATCH_MALFORMED",
      'If-Match holds "*" or a comma-separated list of quoted entity tags',
    );
  }
  return { kind: "tags", tags };
}

/**
 * Checks the demand against the current tag (`undefined`: there is no resource yet). ABORTED
 * `ETAG_MISMATCH` with the current tag in the metadata.
 */
export function checkIfMatch(demand: IfMatch, current: EntityTag | undefined): void {
  if (holds(demand, current)) return;
  throw new DomainError(
    Code.ABORTED,
    "ETAG_MISMATCH",
    current === undefined
      ? "If-Match does not hold: the resource does not exist"
      : `If-Match does not hold: the current entity tag is ${current}`,
    { metadata: { etag: current ?? "" } },
  );
}

/** Tells whether an If-None-Match header names the tag, by weak comparison (RFC 9110 13.1.2). */
export function matchesIfNoneMatch(header: string | null, tag: EntityTag): boolean {
  if (header === null) return false;
  if (header.trim() === "*") return true;
  return parseTags(header)?.some((it) => it.replace(/^W\//, "") === tag) === true;
}

/**
 * Reads a list of entity tags (RFC 9110 8.8.3), of which one at least is there; elements may be empty.
 *
 *     list = [ tag ], { ",", [ tag ] } ;
 *     tag  = [ "W/" ], '"', { any visible character but '"' }, '"' ;
 */
function parseTags(header: string): EntityTag[] | undefined {
  const element = /[ \t]*(?:((?:W\/)?"[!#-~\u0080-\u00ff]*")[ \t]*)?(,|$)/y;
  const tags: EntityTag[] = [];
  for (let from = 0; from <= header.length; from = element.lastIndex) {
    element.lastIndex = from;
    const [, tag, end] = element.exec(header) ?? [];
    if (end === undefined) return undefined;
    if (tag !== undefined) tags.push(tag);
    if (end === "") break;
  }
  return tags.length === 0 ? undefined : tags;
}

function holds(demand: IfMatch, current: EntityTag | undefined): boolean {
  switch (demand.kind) {
    case "any_state":
      return true;
    case "existing":
      return current !== undefined;
    case "tags":
      return current !== undefined && demand.tags.includes(current);
  }
}
