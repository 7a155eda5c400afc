import type { JsonValue } from "@bufbuild/protobuf";
import type {
  Calendar,
  CalendarV2,
} from "../../../../gen/svc/studio/ott/page_component/v2/calendar_pb.ts";
import type { Rail } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { type ContentKind, parseOrder } from "../../content/order.ts";
import { parseSearch } from "../../content/search.ts";
import { blameField } from "../../errors.ts";
import { applySession, type SessionSettings } from "../additional-filters.ts";
import { findContentKind } from "../components/content-kind.ts";

/** A listing that has items. */
export type ItemListing = Listing & { readonly kind: ContentKind };

/** Tells whether a component lists items. */
export function hasItems(listing: Listing | undefined): listing is ItemListing {
  return listing?.kind !== undefined;
}

/** The session storage of a client: key to JSON value. */
export type Session = Readonly<Record<string, JsonValue>>;

/** What the items of a component are, in the viewer's session. */
export interface Listing {
  /** Undefined: the component does not say, and so it has no items. */
  readonly kind: ContentKind | undefined;
  /** KQL with the clauses of the session's values; empty for everything. */
  readonly filter: string;
  readonly search: string;
  /** `<field> asc` or `<field> desc`; empty for the kind's own order. */
  readonly order: string;
  /** The most items of an answer; 0: the component does not say. */
  readonly limit: number;
  /** Ids of the items that come first, in order, each once. */
  readonly pinned: readonly string[];
  readonly excludeGeoblocked: boolean;
  /** True: lists by start time, and a day may be asked for. */
  readonly isCalendar: boolean;
  /** True: the session holds a key that the component does not know, so it shows no items. */
  readonly hidden: boolean;
}

/**
 * Reads what a rail lists, its variables resolved; `path` is where it lies, such as `rail`. Throws a
 * `DomainError` that names the field for an order that its type does not have, a filter that is broken
 * or past the limits with the session's clauses, and a search past the limits.
 */
export function toRailListing(rail: Rail, path: string, session: Session): Listing {
  const kind = findContentKind(rail.type);
  if (rail.order !== "") parseOrder(rail.order, kind, `${path}.order`);
  return {
    ...compose(path, session, {
      filter: rail.filter,
      additionalFilters: rail.additionalFilters,
      additionalSearch: rail.additionalSearch,
      search: rail.search,
      pinned: [...new Set(rail.pinned)],
      showOnUnmatched: rail.showOnUnmatchedAdditionalFilters,
    }),
    kind,
    order: rail.order,
    limit: rail.limit,
    excludeGeoblocked: rail.excludeGeoblocked && kind !== "entity",
    isCalendar: false,
  };
}

/** Reads what a calendar lists; throws for a filter as {@link toRailListing} does. */
export function toCalendarV2Listing(calendar: CalendarV2, session: Session): Listing {
  return {
    ...compose("calendar_v2", session, {
      filter: calendar.filter,
      additionalFilters: calendar.additionalFilters,
      showOnUnmatched: calendar.showOnUnmatchedAdditionalFilters,
    }),
    ...CALENDAR,
    excludeGeoblocked: calendar.excludeGeoblocked,
  };
}

/** Reads what a deprecated calendar lists, which knows nothing of a session. */
export function toCalendarListing(calendar: Calendar): Listing {
  const settings = { filter: calendar.filter, additionalFilters: {}, showOnUnmatched: true };
  return { ...compose("calendar", {}, settings), ...CALENDAR, excludeGeoblocked: false };
}

const CALENDAR = {
  kind: "event",
  order: "start_time asc",
  limit: 0,
  isCalendar: true,
} as const;

function compose(path: string, session: Session, settings: SessionSettings) {
  const outcome = blameField(`${path}.filter`, () => applySession(settings, session));
  const { filter, search, pinned, hidden } = outcome;
  parseSearch(search, `${path}.search`);
  return { filter, search, pinned, hidden };
}
