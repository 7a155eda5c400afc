import type { JsonValue } from "@bufbuild/protobuf";
import { composeFilter, type DroppedClause } from "../kql/index.ts";

/** What a rail or a calendar declares about the viewer's session. */
export interface SessionSettings {
  /** The component's own filter, its variables resolved; blank for none. */
  readonly filter: string;
  /** Session key to KQL clause with `{key.path}` placeholders. */
  readonly additionalFilters: Readonly<Record<string, string>>;
  /** The session key whose value is the search; absent or empty for none. */
  readonly additionalSearch?: string;
  /** The component's own search, its variables resolved. Default empty. */
  readonly search?: string;
  /** Ids of the items shown first, in order. Default none. */
  readonly pinned?: readonly string[];
  /** True keeps the component visible whatever other keys are set. */
  readonly showOnUnmatched: boolean;
}

/** What a rail or a calendar shows in the viewer's session. */
export interface SessionOutcome {
  readonly filter: string;
  readonly search: string;
  readonly pinned: readonly string[];
  /** A rail's whole, a calendar's cards. */
  readonly hidden: boolean;
  /** The clauses that take no part, in the order of their keys by code points. */
  readonly dropped: readonly DroppedClause[];
}

/**
 * Applies the viewer's session to a component (SPEC Additional filters 1 to 4, rail `pinned`,
 * `additional_search` and `show_on_unmatched_additional_filters`).
 *
 * One rule says what is set, as in KQL 6: a key is unset when it is absent or null; `""`, `0` and
 * `false` are values, so an empty text makes an empty search and hides what does not know its key.
 * A client that clears a control removes the key. A search takes a text, a number or a boolean; a
 * list or an object leaves the component's own. The pinned items go while a clause takes part or
 * the session gives the search.
 *
 * A lone surrogate of the session becomes U+FFFD, as a message holds no such text.
 *
 * Throws `KQL_SYNTAX` for a malformed `filter` and `KQL_LIMIT` when the whole is past the limits.
 */
export function applySession(
  settings: SessionSettings,
  session: Readonly<Record<string, JsonValue>>,
): SessionOutcome {
  const clauses = settings.additionalFilters;
  const searchKey = settings.additionalSearch || undefined;
  const { filter, dropped } = composeFilter({ filter: settings.filter, clauses, session });
  const search = searchKey === undefined ? undefined : readSearch(session, searchKey);
  const isFiltered = dropped.length < Object.keys(clauses).length || search !== undefined;
  const isUnmatched = Object.keys(session).some(
    (key) => isSet(session, key) && !Object.hasOwn(clauses, key) && key !== searchKey,
  );
  return {
    filter: filter.toWellFormed(),
    search: (search ?? settings.search ?? "").toWellFormed(),
    pinned: isFiltered ? [] : (settings.pinned ?? []),
    hidden: isUnmatched && !settings.showOnUnmatched,
    dropped,
  };
}

type Session = Readonly<Record<string, JsonValue>>;

function isSet(session: Session, key: string): boolean {
  return Object.hasOwn(session, key) && (session[key] ?? null) !== null;
}

function readSearch(session: Session, key: string): string | undefined {
  const value = session[key];
  return isSet(session, key) && typeof value !== "object" ? String(value) : undefined;
}
