import type { JsonValue } from "@bufbuild/protobuf";
import { runAll, type Steps } from "../base/steps.ts";
import { type DroppedClause, isSet, type KqlNode, parseKql, SessionClauses } from "../kql/index.ts";

/** The session storage of a client: key to JSON value. */
export type Session = Readonly<Record<string, JsonValue>>;

/** The session-dependent settings of a rail or calendar. */
export interface SessionSettings {
  /** The component's own filter with variables resolved; blank for none. */
  readonly filter: string;
  /** Session key to KQL clause with `{key.path}` placeholders. */
  readonly additionalFilters: Readonly<Record<string, string>>;
  /** The session key whose value is the search; absent or empty for none. */
  readonly additionalSearch?: string;
  /** The component's own search with variables resolved; default empty. */
  readonly search?: string;
  /** Ids of the items shown first, in order; default none. */
  readonly pinned?: readonly string[];
  /** Keeps the component visible when other keys are set. */
  readonly showOnUnmatched: boolean;
}

/** The effect of the viewer's session on a rail or calendar. */
export interface SessionOutcome {
  readonly filter: string;
  readonly search: string;
  readonly pinned: readonly string[];
  /** Hides a whole rail, or the cards of a calendar. */
  readonly hidden: boolean;
  /** The dropped clauses, ordered by key in code point order. */
  readonly dropped: readonly DroppedClause[];
}

/**
 * Applies the viewer's session to a component (contract: additional-filters 1 to 4, rail `pinned`,
 * `additional_search` and `show_on_unmatched_additional_filters`).
 *
 * A key is unset when it is absent or null, as in KQL 6. `""`, `0` and `false` are values, so an empty string sets an
 * empty search, and hides components that do not know its key. A client that clears a control removes the key. A
 * search may be a string, a number or a boolean; a list or an object is ignored. Pinned items are dropped while a
 * clause is active or the session sets the search.
 *
 * A lone surrogate becomes U+FFFD, because a message cannot contain it.
 *
 * Throws `KQL_SYNTAX` for a malformed `filter` and `KQL_LIMIT` when the result exceeds the limits.
 */
export function applySession(
  { additionalFilters, ...settings }: SessionSettings,
  session: Session,
): SessionOutcome {
  const clauses = new SessionClauses(additionalFilters);
  const { node: _, ...outcome } = runAll(applyClauses({ ...settings, clauses }, session));
  return outcome;
}

/** The settings of a component whose clauses are parsed once for all sessions. */
export type ParsedSettings = Omit<SessionSettings, "additionalFilters"> & {
  readonly clauses: SessionClauses;
};

/** Applies a session like {@link applySession}, clause by clause; `node` is the parsed filter. */
export function* applyClauses(
  { clauses, ...settings }: ParsedSettings,
  session: Session,
): Steps<SessionOutcome & { readonly node: KqlNode }> {
  const searchKey = settings.additionalSearch || undefined;
  const { filter, node, dropped, isNarrowed } = yield* clauses.compose(settings.filter, session);
  const search = searchKey === undefined ? undefined : readSearch(session, searchKey);
  const isUnmatched = Object.keys(session).some(
    (key) => isSet(session, key) && !clauses.has(key) && key !== searchKey,
  );
  const wellFormed = filter.toWellFormed();
  return {
    filter: wellFormed,
    node: wellFormed === filter ? node : parseKql(wellFormed),
    search: (search ?? settings.search ?? "").toWellFormed(),
    pinned: isNarrowed || search !== undefined ? [] : (settings.pinned ?? []),
    hidden: isUnmatched && !settings.showOnUnmatched,
    dropped,
  };
}

function readSearch(session: Session, key: string): string | undefined {
  const value = session[key];
  return isSet(session, key) && typeof value !== "object" ? String(value) : undefined;
}
