import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { OfferScope } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriod,
  BillingPeriod,
  type Transaction,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";

/** When a purchase gives access: from its start on, its end not included. */
export interface AccessTime {
  readonly start: Timestamp;
  /** Absent: never. */
  readonly end?: Timestamp;
}

/** What somebody wants to watch. */
export interface WatchedVideo {
  readonly videoId: string;
  /** The events that show it; of those that no scope names, any may be missing. */
  readonly eventIds: ReadonlySet<string>;
  /** The creative works that show it; likewise. */
  readonly creativeWorkIds: ReadonlySet<string>;
}

/**
 * Decides when a transaction gives its user access to what was bought; undefined: never. Only what is
 * captured does, so a refund ends it; a test counts like any other, or nobody could try a purchase
 * out. It begins when the money was captured, without such a time when the purchase was started, and
 * takes the access period; where that is not known, the billing period; where neither says a time,
 * it has no end.
 */
export function decideAccess(transaction: Transaction): AccessTime | undefined {
  const { status, userId, offerId, captureTime, createTime } = transaction;
  const start = captureTime ?? createTime;
  if (status !== TransactionStatus.CAPTURED || userId === "" || offerId === "") return undefined;
  if (start === undefined) return undefined;
  const length = lengthOf(transaction);
  const end = length && addLength(start, length);
  return end === undefined ? { start } : { start, end };
}

/** Tells whether a scope opens anything at all. */
export function opensAnything({ everything, ...ids }: OfferScope): boolean {
  const { videoIds, eventIds, creativeWorkIds } = ids;
  return everything || videoIds.length + eventIds.length + creativeWorkIds.length > 0;
}

/** Tells whether a scope opens a video: by itself, or as one of an event or creative work. */
export function opensVideo(scope: OfferScope, watched: WatchedVideo): boolean {
  return (
    scope.everything ||
    scope.videoIds.includes(watched.videoId) ||
    scope.eventIds.some((id) => watched.eventIds.has(id)) ||
    scope.creativeWorkIds.some((id) => watched.creativeWorkIds.has(id))
  );
}

/** Days, and months of the calendar. */
interface Length {
  readonly days: number;
  readonly months: number;
}

const DAY: Length = { days: 1, months: 0 };
const WEEK: Length = { days: 7, months: 0 };
const MONTH: Length = { days: 0, months: 1 };
const YEAR: Length = { days: 0, months: 12 };

const ACCESS_LENGTHS: ReadonlyMap<AccessPeriod, Length> = new Map([
  [AccessPeriod.DAY, DAY],
  [AccessPeriod.WEEK, WEEK],
  [AccessPeriod.MONTH, MONTH],
  [AccessPeriod.YEAR, YEAR],
]);

const BILLING_LENGTHS: ReadonlyMap<BillingPeriod, Length> = new Map([
  [BillingPeriod.DAY, DAY],
  [BillingPeriod.WEEK, WEEK],
  [BillingPeriod.MONTH, MONTH],
  [BillingPeriod.YEAR, YEAR],
]);

function lengthOf({ accessPeriod, billingPeriod }: Transaction): Length | undefined {
  return accessPeriod === AccessPeriod.UNSPECIFIED
    ? BILLING_LENGTHS.get(billingPeriod)
    : ACCESS_LENGTHS.get(accessPeriod);
}

/** The last second that a timestamp can hold, of the year 9999. */
const LAST_SECOND = 253_402_300_799n;

/** Adds a length by the calendar of UTC; undefined: after the end of all timestamps. */
function addLength(start: Timestamp, { days, months }: Length): Timestamp | undefined {
  const end = new Date(Number(start.seconds) * 1_000);
  const day = end.getUTCDate();
  end.setUTCMonth(end.getUTCMonth() + months);
  // A day that the month lacks has gone over into the next one: back to the last of the month.
  if (end.getUTCDate() !== day) end.setUTCDate(0);
  end.setUTCDate(end.getUTCDate() + days);
  const seconds = BigInt(end.getTime() / 1_000);
  if (seconds > LAST_SECOND) return undefined;
  return create(TimestampSchema, { seconds, nanos: start.nanos });
}
