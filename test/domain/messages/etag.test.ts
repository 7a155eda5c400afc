import { describe, expect, test } from "vitest";
import { Code } from "../../../src/domain/errors.ts";
import {
  checkIfMatch,
  type IfMatch,
  matchesIfNoneMatch,
  parseIfMatch,
  toEntityTag,
} from "../../../src/domain/messages/etag.ts";
import { openCases } from "../../harness/cases.ts";
import { refusal } from "../../harness/refusal.ts";

const each = openCases("messages/etag");

const TAG = toEntityTag(1234);

test("every revision has a strong tag of its own", () => {
  const tags = Array.from({ length: 2_000 }, (_, revision) => toEntityTag(revision));
  expect(new Set(tags).size).toBe(2_000);
  for (const tag of [...tags, toEntityTag(Number.MAX_SAFE_INTEGER)]) {
    expect(tag).toMatch(/^"[0-9a-z]+"$/);
  }
});

describe("an If-Match header is parsed", () => {
  test.each<[string | null, IfMatch]>([
    [null, { kind: "any_state" }],
    ["*", { kind: "existing" }],
    [" * ", { kind: "existing" }],
    ['"a"', { kind: "tags", tags: ['"a"'] }],
    ['""', { kind: "tags", tags: ['""'] }],
    ['"a","b"', { kind: "tags", tags: ['"a"', '"b"'] }],
    [' "a" ,\t"b" ', { kind: "tags", tags: ['"a"', '"b"'] }],
    ['W/"a", "b"', { kind: "tags", tags: ['W/"a"', '"b"'] }],
    ['"a,b"', { kind: "tags", tags: ['"a,b"'] }],
    ['"*"', { kind: "tags", tags: ['"*"'] }],
    ['"!#~\u00e9"', { kind: "tags", tags: ['"!#~\u00e9"'] }],
    ['"a", , "b",', { kind: "tags", tags: ['"a"', '"b"'] }],
  ])("%s", (header, want) => {
    expect(parseIfMatch(header)).toEqual(want);
  });

  each<[string]>("an If-Match header is malformed", (header) => {
    expect(() => parseIfMatch(header)).toThrow(refusal("IF_MATCH_MALFORMED"));
  });

  test("a long header is read in a moment", () => {
    const header = `"a",${" ".repeat(8_000)}${"W/".repeat(4_000)}`;
    const start = performance.now();
    expect(() => parseIfMatch(header)).toThrow();
    expect(performance.now() - start).toBeLessThan(100);
  });
});

test.each<[string | null, string | undefined, boolean]>([
  [null, TAG, true],
  [null, undefined, true],
  ["*", TAG, true],
  ["*", undefined, false],
  [TAG, TAG, true],
  [TAG, undefined, false],
  [`"x", ${TAG}, "y"`, TAG, true],
  ['"x"', TAG, false],
  [`W/${TAG}`, TAG, false],
  [`W/${TAG}, ${TAG}`, TAG, true],
  [TAG.toUpperCase(), toEntityTag(10), false],
])("If-Match is checked against the current tag: %s", (header, current, holds) => {
  const check = () => checkIfMatch(parseIfMatch(header), current);
  if (holds) expect(check).not.toThrow();
  else {
    expect(check).toThrow(
      expect.objectContaining({
        code: Code.ABORTED,
        reason: "ETAG_MISMATCH",
        metadata: { etag: current ?? "" },
      }),
    );
  }
});

test.each<[string | null, boolean]>([
  [null, false],
  ["", false],
  ["*", true],
  [TAG, true],
  [`W/${TAG}`, true],
  [`"x" , W/${TAG}`, true],
  ['"x"', false],
  [TAG.slice(1, -1), false],
  [`"x,${TAG},y"`, false],
  [`"a,b", ${TAG}`, true],
])("an If-None-Match header names a tag by weak comparison: %s", (header, want) => {
  expect(matchesIfNoneMatch(header, TAG)).toBe(want);
});
