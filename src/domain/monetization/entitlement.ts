import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { Entitlement } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { OfferScope } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriod,
  BillingPeriod,
  type Transaction,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { checkField } from "../base/field-errors.ts";
import { compareTimes, LAST_SECOND } from "../base/time.ts";

/** The period of access that a purchase grants, its end exclusive. */
interface AccessTime {
  readonly start: Timestamp;
  /** Absent for unlimited access. */
  readonly end?: Timestamp;
}

/** A video to watch, and the content that shows it. */
export interface WatchedVideo {
  readonly videoId: string;
  /** The events that show it; those that no scope names may be missing. */
  readonly eventIds: ReadonlySet<string>;
  /** The creative works that show it; those that no scope names may be missing. */
  readonly creativeWorkIds: ReadonlySet<string>;
}

/** Checks that an entitlement ends after it starts. INVALID_ARGUMENT `TIME_WINDOW_INVALID`. */
export function checkTimeWindow({ startTime, endTime }: Entitlement, path: string): void {
  const isWindow = !startTime || !endTime || compareTimes(endTime, startTime) > 0;
  checkField(isWindow, `${path}.end_time`, "TIME_WINDOW_INVALID", "must be after start_time");
}

/**
 * Returns the period of access that a transaction grants; undefined for none. Only a captured transaction grants
 * access, so a refund ends it; test transactions count too. Access starts at the capture time, or at the creation
 * time if that is unknown. It lasts the access period, else the billing period, else without end.
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

/** Reports whether a scope grants access to anything. */
export function opensAnything({ everything, ...ids }: OfferScope): boolean {
  const { videoIds, eventIds, creativeWorkIds } = ids;
  return everything || videoIds.length + eventIds.length + creativeWorkIds.length > 0;
}

/** Reports whether a scope grants access to a video, directly or by an event or creative work. */
export function opensVideo(scope: OfferScope, watched: WatchedVideo): boolean {
  return (
    scope.everything ||
    scope.videoIds.includes(watched.videoId) ||
    scope.eventIds.some((id) => watched.eventIds.has(id)) ||
    scope.creativeWorkIds.some((id) => watched.creativeWorkIds.has(id))
  );
}

/** A duration in days and calendar months. */
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

/** Adds a length in the UTC calendar; undefined if the result exceeds the range of timestamps. */
function addLength(start: Timestamp, { days, months }: Length): Timestamp | undefined {
  const end = new Date(Number(start.seconds) * 1_000);
  const day = end.getUTCDate();
  end.setUTCMonth(end.getUTCMonth() + months);
  // If the month is too short, the day overflows into the next one: return to the last day of the month.
  if (end.getUTCDate() !== day) end.setUTCDate(0);
  end.setUTCDate(end.getUTCDate() + days);
  const seconds = BigInt(end.getTime() / 1_000);
  if (seconds > LAST_SECOND) return undefined;
  return create(TimestampSchema, { seconds, nanos: start.nanos });
}
