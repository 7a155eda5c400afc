import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../../../src/domain/base/json.ts";
import { readPath } from "../../../src/domain/changes/path-tree.ts";

/**
 * Returns the text in a language or in that language of any region, else in English, else in any; empty if `value` is not
 * a text by language.
 */
export function pick(value: unknown, language: string): string {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  const [general = ""] = language.split("-");
  const found = value[language] ?? value[general] ?? value.en ?? Object.values(value)[0];
  return typeof found === "string" ? found : "";
}

/** Reads a JSON object; undefined: the text is not one. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Says why a window is closed at a time, in milliseconds since 1970; empty: it is open. */
export function printClosed(window: unknown, now: number): string {
  if (!isObject(window)) return "";
  const start = window.startTime ?? window.start_time;
  const end = window.endTime ?? window.end_time;
  if (start && now < Date.parse(String(start))) return "not yet";
  return end && now >= Date.parse(String(end)) ? "over" : "";
}

/** Returns the objects of an array; none if `value` is not an array. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Follows a path such as `fields.home.name` or `start_time` into the JSON of an item. */
export function follow(item: object, path: string): JsonValue | undefined {
  const camel = path.replace(/^[^.]+/, (first) =>
    first.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  return readPath(item as JsonObject, camel);
}

/** Writes a time for people, in this machine's time zone; without a language, in the one of the browser. */
export function printTime(time: string, language?: string): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  return format.format(new Date(time));
}

/** Writes the day of a time, with its weekday, in this machine's time zone. */
export function printDay(time: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "full" }).format(new Date(time));
}

/** Writes the day of a time in this machine's time zone, such as `2026-06-11`. */
export function toDay(time: Date): string {
  const parts = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** Writes an amount of `google.type.Money`. */
export function printMoney(
  {
    currencyCode,
    units = "0",
    nanos = 0,
  }: { currencyCode?: string; units?: string; nanos?: number },
  language: string,
): string {
  const amount = Number(units) + nanos / 1e9;
  if (currencyCode === undefined) return String(amount);
  return new Intl.NumberFormat(language, { style: "currency", currency: currencyCode }).format(
    amount,
  );
}

/** Writes a duration as people do, such as `1:30:00` for `5400s`. */
export function printDuration(text: string): string {
  const [, units = "", fraction = ""] = /^(\d+)(\.\d+)?s$/.exec(text) ?? [];
  if (units === "") return text;
  const whole = Number(units);
  const two = (it: number) => String(it).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const tail = `${two(whole % 60)}${fraction}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${tail}` : `${minutes}:${tail}`;
}

/** Writes the last words of a value of an enum, such as `ONE_TIME` of `BILLING_PERIOD_ONE_TIME`, as text. */
export function printEnum(name: string | undefined, prefix: string): string {
  return (name ?? "").replace(prefix, "").toLowerCase().replaceAll("_", " ");
}

/** Writes milliseconds. */
export function printMilliseconds(value: number): string {
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}

/** Writes a name of JSON as protos do, such as `content_grid`. */
export function toSnake(name: string): string {
  return name.replace(/([a-z])([A-Z0-9])/g, "$1_$2").toLowerCase();
}

/** Writes a name of JSON as words, such as `home score`. */
export function toWords(name: string): string {
  return toSnake(name).replaceAll("_", " ");
}

/** Names a row of a list by its title, its name or its id, else by its first text; empty: it has none. */
export function printRow(row: JsonValue, language: string): string {
  if (!isObject(row)) return String(row);
  const text = Object.values(row).find((it) => typeof it === "string");
  return pick(row.title, language) || String(row.name || row.id || text || "");
}

/** Writes any value for people: the rows of a list by their names, an object with the names of its values. */
export function printValue(value: JsonValue | undefined, language: string): string {
  const print = (it: JsonValue | undefined) => printValue(it, language);
  if (Array.isArray(value))
    return print(value.map((it) => printRow(it, language) || print(it)).join(", "));
  if (isObject(value))
    return Object.entries(value)
      .map(([name, it]) => `${name}: ${print(it)}`)
      .join(", ");
  return value === undefined || value === null || value === "" ? "nothing" : String(value);
}
