import { expect, test } from "vitest";
import { readReasons } from "../../tools/reasons.ts";
import { readFiles } from "../conventions/source-files.ts";

/** The codes of Node.js, SQLite and the parser of CSV. */
const FOREIGN = /^(?:CSV|ERR|HPE|SQLITE)_/;

/** Reasons that are no errors: of runs (docs/runs.md), warnings of rulesets, and dropped parts of a page. */
const OTHERS = [
  "APPLIES_TO_NOTHING",
  "CONFIDENCE_TOO_LOW",
  "CONFIGURATION_INVALID",
  "CONNECTION_FAILED",
  "EMPTY_ARRAY",
  "EMPTY_GEOGRAPHY",
  "FILTER_FIELD_UNKNOWN",
  "FILTER_LANGUAGE_MISSING",
  "FILTER_MATCHES_NOTHING",
  "FILTER_OPERATOR",
  "FILTER_PATH_UNUSED",
  "FILTER_VARIABLE_UNDECLARED",
  "KEY_UNSET",
  "LANGUAGE_UNUSUAL",
  "NAME_NOT_FOUND",
  "NAME_TIMEOUT",
  "OFFSET_PAST_END",
  "QUALITY_WITHOUT_DRM",
  "REFERENCE_MISSING",
  "RETRY_PERIOD_OVER",
  "SOURCE_TYPE_NOT_LISTED",
  "TLS_FAILED",
  "TOO_LARGE",
  "VALUES_CLEARED",
  "VARIABLE_UNRESOLVED",
  "VIDEO_OUTLIVES_ITEM",
  "WORK_LIMIT",
];

test("the page on errors lists each reason that the program throws, and no other", () => {
  const form = /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|INTERNAL|OVERLOADED)"|^ {2}([A-Z]+(?:_[A-Z]+)+):/gm;
  const demo = readFiles("demo", ".ts").filter(({ path }) => !path.startsWith("demo/data/"));
  const words = [...demo, ...readFiles("src", ".ts")].flatMap(({ text }) =>
    Array.from(text.matchAll(form), ([, quoted, key]) => quoted ?? key ?? ""),
  );
  const thrown = new Set(words.filter((it) => !FOREIGN.test(it) && !OTHERS.includes(it)));
  expect([...thrown].sort()).toEqual([...readReasons().keys()].sort());
});
