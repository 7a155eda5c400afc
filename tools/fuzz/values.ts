import type { Random } from "../../demo/data/random.ts";

/** Picks an item of a list that is not empty. */
export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}

/** Decides with a probability in percent. */
export function chance(random: Random, percent: number): boolean {
  return random.below(100) < percent;
}

/** Texts that programs stumble over; long ones are rare, see {@link createText}. */
const ODD_TEXTS: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\u{1f3c6}",
  "\uFEFFx",
  "\u202Eabc",
  "e\u0301",
  "İstanbul",
  "a\r\nSet-Cookie: x=y",
  "' or 1=1 --",
  '"; drop table content; --',
  "%00%2e%2e%2f",
  "../../etc/passwd",
  "{id}",
  "{event.fields.a}",
  "{{{{",
  "{q}{q}{q}",
  "*",
  "**",
  "*:*",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "NaN",
  "1e400",
  "-0",
  "9223372036854775808",
  "0x10",
  "9999-12-31T23:59:59.999999999Z",
  "0000-00-00T00:00:00Z",
  "-315576000001s",
  "https://example.com/a.m3u8",
  "https://user:pass@127.0.0.1:1/../x",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "http://[::1]:1/",
];

/** Long texts, each the worst case of some algorithm. */
const LONG_TEXTS: readonly ((length: number) => string)[] = [
  (length) => "a".repeat(length),
  (length) => "0".repeat(length),
  (length) => `1${"0".repeat(length)}1`,
  (length) => " ".repeat(length),
  (length) => "*a".repeat(length / 2),
  (length) => "(".repeat(length),
  (length) => "not ".repeat(length / 4),
  (length) => "{a}".repeat(length / 3),
  (length) => `${"a or ".repeat(length / 5)}a`,
  (length) => "\u{1f3c6}".repeat(length / 4),
  (length) => '"\\'.repeat(length / 2),
  (length) => ",".repeat(length),
  (length) => "a.".repeat(length / 2),
];

const LENGTHS = [65, 129, 1_000, 4_000, 8_192, 8_193, 20_000, 100_000];

/** Creates a text: mostly a plain one, sometimes an odd or a long one. */
export function createText(random: Random, plain: string): string {
  const draw = random.below(100);
  if (draw < 70) return plain;
  if (draw < 97) return pick(random, ODD_TEXTS);
  return pick(random, LONG_TEXTS)(pick(random, LENGTHS));
}

const PATHS = [
  "id",
  "title.en",
  "fields.a",
  "fields.b",
  "fields.*",
  "start_time",
  "video_ids",
  "*",
  "entity_ids",
];
const VALUES = [
  "x",
  '"a b"',
  "*",
  "a*b*c",
  "12",
  "true",
  '"2026-01-02T03:04:05Z"',
  "now",
  "{id}",
  "{event.fields.a}",
  "(a or b)",
];

/** Creates a filter in KQL, now and then a broken one. */
export function createKql(random: Random, depth = 0): string {
  if (depth < 4 && chance(random, 30)) {
    const [left, right] = [createKql(random, depth + 1), createKql(random, depth + 1)];
    return `${pick(random, ["", "not "])}(${left} ${pick(random, ["and", "or", "AND", ""])} ${right})`;
  }
  if (chance(random, 4)) return createText(random, "(((");
  const operator = pick(random, [":", ":", ":", ">=", "<", " : "]);
  return `${pick(random, PATHS)}${operator}${pick(random, VALUES)}`;
}

/** Deeper values are plain ones. */
const DEEPEST = 4;

/** Creates any JSON value. */
export function createJson(random: Random, plain: string, depth = 0): unknown {
  if (depth < DEEPEST && chance(random, 25)) {
    return Array.from({ length: random.below(5) }, () => createJson(random, plain, depth + 1));
  }
  if (depth < DEEPEST && chance(random, 40)) return createJsonObject(random, plain, depth + 1);
  return pick(random, [null, true, false, 0, -1.5, 1e300, createText(random, plain)]);
}

/** Creates a JSON object. */
export function createJsonObject(random: Random, plain: string, depth = 0): object {
  const length = depth === 0 && chance(random, 2) ? random.below(3_000) : random.below(5);
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [
      length > 10 ? `key${index}` : createText(random, `key${index}`),
      createJson(random, plain, length > 10 ? DEEPEST : depth + 1),
    ]),
  );
}
