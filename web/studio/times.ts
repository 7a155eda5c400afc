/** Writes a moment for a sentence, such as `Saturday, December 5 at 9:00 AM`. */
export function printMoment(time: string): string {
  const date = new Date(time);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return new Intl.DateTimeFormat(undefined, {
    ...{ weekday: "long", day: "numeric", month: "long" },
    ...(!isThisYear && { year: "numeric" }),
    ...{ hour: "numeric", minute: "2-digit" },
  }).format(date);
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Writes how far a moment is from now, such as `in 3 days`. */
export function printDistance(time: string, now = new Date()): string {
  const seconds = (new Date(time).getTime() - now.getTime()) / 1_000;
  const [unit, length] = UNITS.find((it) => Math.abs(seconds) >= it[1]) ?? ["second", 1];
  const format = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  return format.format(Math.round(seconds / length), unit);
}
