import type { Match } from "./world-cup.ts";

const BREAKS = [
  { after: 105, minutes: 32 },
  { after: 90, minutes: 30 },
  { after: 45, minutes: 20 },
];

/** The minutes that a match's video continues after the end of the event. */
const RUN_OUT = 10;

/**
 * Converts a minute of play, such as `45+2`, to seconds from the start of the match's video.
 *
 * The video starts at kick-off and is not cut. The source lacks the length of breaks, so every match has the same.
 * Before minute 46: 5 minutes of added time and 15 of half-time (20 in total). Before minute 91: 5 of added time and 5
 * of break (30). Before minute 106: 1 of added time and 1 of break (32). Added time counts from the minute that it is
 * added to.
 */
export function toVideoSeconds(minute: string): number {
  const [base = 0, added = 0] = minute.split("+").map(Number);
  const paused = BREAKS.find((pause) => base > pause.after)?.minutes ?? 0;
  return (base + added + paused) * 60;
}

/** Returns the length of a match's event in minutes: 120, with extra time 165, with penalties 180. */
export function eventMinutes(match: Match): number {
  if (match.penalties !== undefined) return 180;
  return match.extraTime === undefined ? 120 : 165;
}

/** Returns the length of a match's video in minutes. */
export function videoMinutes(match: Match): number {
  return eventMinutes(match) + RUN_OUT;
}
