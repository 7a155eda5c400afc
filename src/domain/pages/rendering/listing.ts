import type {
  Calendar,
  CalendarV2,
} from "../../../../gen/svc/studio/ott/page_component/v2/calendar_pb.ts";
import type { Rail } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { Code, DomainError } from "../../base/errors.ts";
import { withField } from "../../base/field-errors.ts";
import type { Steps } from "../../base/steps.ts";
import { type ContentKind, parseOrder } from "../../content/order.ts";
import { parseSearch } from "../../content/search.ts";
import { type KqlNode, SessionClauses } from "../../kql/index.ts";
import { applyClauses, type ParsedSettings, type Session } from "../additional-filters.ts";
import { findContentKind } from "../components/inline-grid.ts";

/** The listing of a component that has items. */
export type ItemListing = Listing & { readonly kind: ContentKind };

/** Reports whether a component has items. */
export function hasItems(listing: Listing | undefined): listing is ItemListing {
  return listing?.kind !== undefined;
}

/** Creates the FAILED_PRECONDITION `COMPONENT_WITHOUT_ITEMS` for a component that has no items. */
export function componentWithoutItems(componentId: string): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "COMPONENT_WITHOUT_ITEMS",
    `page_component ${componentId} has no items: it is not a rail, calendar or grid`,
    { metadata: { component_id: componentId } },
  );
}

/** The query of a component's items, in the viewer's session. */
export interface Listing {
  /** Undefined if the component does not specify it: it has no items then. */
  readonly kind: ContentKind | undefined;
  /** KQL including the session's clauses; empty matches everything. */
  readonly filter: string;
  /** The parsed filter. */
  readonly node: KqlNode;
  readonly search: string;
  /** The parsed search. */
  readonly words: readonly string[];
  /** `<field> asc` or `<field> desc`; empty for the kind's default. */
  readonly order: string;
  /** Maximum number of items; 0 if the component does not specify it. */
  readonly limit: number;
  /** Distinct ids of the items that come first, in order. */
  readonly pinned: readonly string[];
  readonly excludeGeoblocked: boolean;
  /** True for a list ordered by start time that can be narrowed to a day. */
  readonly isCalendar: boolean;
  /** True if the session sets a key that the component does not know, so that it shows no items. */
  readonly hidden: boolean;
}

/** The viewer's session, and the component's clauses, parsed once for all sessions. */
export interface SessionParts {
  readonly session: Session;
  readonly clauses: SessionClauses;
}

/**
 * Returns the listing of a rail with resolved variables; `path` is its path, such as `rail`. Throws a `DomainError`
 * that names the field for:
 * - an order that its type does not support,
 * - a malformed filter,
 * - a filter above the limits with the session's clauses,
 * - a search above the limits.
 */
export function* toRailListing(
  rail: Rail,
  path: string,
  { session, clauses }: SessionParts,
): Steps<Listing> {
  const kind = findContentKind(rail.type);
  if (rail.order !== "") parseOrder(rail.order, kind, `${path}.order`);
  const composed = yield* compose(path, session, {
    filter: rail.filter,
    clauses,
    additionalSearch: rail.additionalSearch,
    search: rail.search,
    pinned: [...new Set(rail.pinned)],
    showOnUnmatched: rail.showOnUnmatchedAdditionalFilters,
  });
  return {
    ...composed,
    kind,
    order: rail.order,
    limit: rail.limit,
    excludeGeoblocked: rail.excludeGeoblocked && kind !== "entity",
    isCalendar: false,
  };
}

/** Returns the listing of a calendar; throws for a filter like {@link toRailListing}. */
export function* toCalendarV2Listing(
  calendar: CalendarV2,
  { session, clauses }: SessionParts,
): Steps<Listing> {
  const { filter, excludeGeoblocked, showOnUnmatchedAdditionalFilters: showOnUnmatched } = calendar;
  const composed = yield* compose("calendar_v2", session, { filter, clauses, showOnUnmatched });
  return { ...composed, ...CALENDAR, excludeGeoblocked };
}

/** Returns the listing of a deprecated calendar, which ignores the session. */
export function* toCalendarListing({ filter }: Calendar): Steps<Listing> {
  const settings = { filter, clauses: new SessionClauses({}), showOnUnmatched: true };
  const composed = yield* compose("calendar", {}, settings);
  return { ...composed, ...CALENDAR, excludeGeoblocked: false };
}

const CALENDAR = {
  kind: "event",
  order: "start_time asc",
  limit: 0,
  isCalendar: true,
} as const;

function* compose(path: string, session: Session, settings: ParsedSettings) {
  try {
    const { dropped: _, ...outcome } = yield* applyClauses(settings, session);
    return { ...outcome, words: parseSearch(outcome.search, `${path}.search`) };
  } catch (error) {
    const isOfFilter = error instanceof DomainError && error.metadata.field === undefined;
    throw isOfFilter ? withField(`${path}.filter`, error) : error;
  }
}
