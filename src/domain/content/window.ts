import { fromJson, type JsonObject, type Message } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type Window, WindowSchema } from "../../../gen/svc/type/v1/window_pb.ts";
import { checkField } from "../base/field-errors.ts";
import { ALWAYS, compareTimes, isWithin, type Period, ZERO_TIME } from "../base/time.ts";

/** The moment of a read: windows must be open at it, and their next start or end limits how long the response is true. */
export interface Moment {
  readonly time: Date;
  /** Limits the response to a time in milliseconds since 1970, which is later than `time`. */
  limitUntil(until: number): void;
}

/** The paths of the start and the end of the windows of content. */
export const WINDOW_PATHS = ["availability.start_time", "availability.end_time"] as const;

/**
 * Checks the window of the resource at a path. INVALID_ARGUMENT `WINDOW_INVALID` for an end that is not later than the start,
 * or a time before the year 1970.
 */
export function checkAvailability(
  { availability }: { readonly availability?: Window | undefined },
  path: string,
): void {
  if (availability === undefined) return;
  const { startTime, endTime } = availability;
  const [start, end] = WINDOW_PATHS;
  checkTime(startTime, `${path}.${start}`);
  checkTime(endTime, `${path}.${end}`);
  const isInOrder = !startTime || !endTime || compareTimes(endTime, startTime) > 0;
  const description = "must be later than start_time";
  checkField(isInOrder, `${path}.${end}`, "WINDOW_INVALID", description);
}

function checkTime(time: Timestamp | undefined, path: string): void {
  const isInRange = time === undefined || compareTimes(time, ZERO_TIME) >= 0;
  checkField(isInRange, path, "WINDOW_INVALID", "must be between the years 1970 and 9999");
}

/**
 * Decides whether a resource with a window is available at a moment, and limits the response to the next start or end
 * of the window. True without a window, and without a moment: the reader is not bound by windows.
 */
export function isOpen(window: Window | undefined, at: Moment | undefined): boolean {
  if (window === undefined || at === undefined) return true;
  const period = toPeriod(window);
  const now = at.time.getTime();
  const next = now < period.from ? period.from : period.until;
  if (now < next && next < Infinity) at.limitUntil(next);
  return isWithin(period, now);
}

/** Returns the window of a resource; undefined for a kind without one. */
export function windowOf(message: Message): Window | undefined {
  return (message as Message & { readonly availability?: Window }).availability;
}

/** Returns the period of a window, its times rounded up. */
export function toPeriod({ startTime, endTime }: Window): Period {
  const { from, until } = ALWAYS;
  return { from: toMillis(startTime) ?? from, until: toMillis(endTime) ?? until };
}

function toMillis(time: Timestamp | undefined): number | undefined {
  return time && Number(time.seconds) * 1_000 + Math.ceil(time.nanos / 1_000_000);
}

/** Reads the window of content from its stored JSON. Few items have one, so the text is searched for it first. */
export function readStoredWindow(json: string): Window | undefined {
  if (!json.includes('"availability"')) return undefined;
  const { availability } = JSON.parse(json) as JsonObject;
  return availability === undefined ? undefined : fromJson(WindowSchema, availability);
}
