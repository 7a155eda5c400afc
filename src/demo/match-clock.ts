import type { Match } from "./world-cup.ts";

const BREAKS = [
  { after: 105, minutes: 32 },
  { after: 90, minutes: 30 },
  { after: 45, minutes: 20 },
];

/** How many minutes a match's video runs on after the event's end. */
const RUN_OUT = 10;

/**
 * Finds a minute of play, such as `45+2`, in the video of its match, in seconds from the start.
 *
 * The video starts with the kick-off and is not cut. The source does not say how long each break
 * was, so every match has the same: 5 minutes added to the first half and 15 of half-time lie before
 * minute 46 (20 in all), 5 added to the second half and 5 of break before minute 91 (30), 1 added
 * and 1 of break before minute 106 (32). Added time counts from the minute that it is added to.
 */
export function toVideoSeconds(minute: string): number {
  const [base = 0, added = 0] = minute.split("+").map(Number);
  const paused = BREAKS.find((pause) => base > pause.after)?.minutes ?? 0;
  return (base + added + paused) * 60;
}

/** How long a match's event is, in minutes: 120, with extra time 165, with penalties 180. */
export function eventMinutes(match: Match): number {
  if (match.penalties !== undefined) return 180;
  return match.extraTime === undefined ? 120 : 165;
}

/** How long a match's video is, in minutes. */
export function videoMinutes(match: Match): number {
  return eventMinutes(match) + RUN_OUT;
}
