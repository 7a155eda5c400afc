import { expect, test } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import { matchesIfNoneMatch, parseIfMatch, toETag } from "../../../src/domain/base/etag.ts";
import { openCases } from "../../harness/cases.ts";
import { readCpu } from "../../harness/cpu-time.ts";
import { rejection } from "../../harness/rejection.ts";
import { expectWithin, MACHINE } from "../../harness/turns.ts";

const each = openCases("messages/etag");

const TAG = toETag(1234);

test("every revision has a strong tag of its own", () => {
  const tags = Array.from({ length: 2_000 }, (_, revision) => toETag(revision));
  expect(new Set(tags).size).toBe(2_000);
  for (const tag of [...tags, toETag(Number.MAX_SAFE_INTEGER)]) {
    expect(tag).toMatch(/^"[0-9a-z]+"$/);
  }
});

test("If-Match may be absent or a star", () => {
  expect(() => parseIfMatch(undefined)(undefined)).not.toThrow();
  for (const header of ["*", " * "]) {
    expect(() => parseIfMatch(header)(TAG)).not.toThrow();
    expect(() => parseIfMatch(header)(undefined)).toThrow(/does not exist/);
  }
});

each<[string, string[]]>("an If-Match header is parsed", (header, tags) => {
  const check = parseIfMatch(header);
  for (const tag of tags) expect(() => check(tag)).not.toThrow();
  expect(() => check('"another"')).toThrow(/does not match/);
});

each<[string]>("an If-Match header is malformed", (header) => {
  expect(() => parseIfMatch(header)).toThrow(rejection("IF_MATCH_MALFORMED"));
});

test("a long If-Match header is read in a moment", () => {
  const header = `"a",${" ".repeat(8_000)}${"W/".repeat(4_000)}`;
  const start = readCpu();
  expect(() => parseIfMatch(header)).toThrow();
  expectWithin(readCpu() - start, 30 * MACHINE);
});

const withTag = (text: string | undefined) => text?.replaceAll("T", TAG);

each<[string | undefined, string | undefined, boolean]>(
  "If-Match against the current tag T or none holds",
  (header, current, holds) => {
    const check = () => parseIfMatch(withTag(header))(withTag(current));
    if (holds) return check();
    const metadata = { etag: withTag(current) ?? "" };
    expect(check).toThrow(rejection("ETAG_MISMATCH", undefined, { code: Code.ABORTED, metadata }));
  },
);

test("If-Match distinguishes capital and small letters", () => {
  const check = () => parseIfMatch(TAG.toUpperCase())(toETag(10));
  expect(check).toThrow(rejection("ETAG_MISMATCH", undefined, { code: Code.ABORTED }));
});

each<[string | undefined, boolean]>(
  "If-None-Match names the tag T by weak comparison",
  (header, want) => {
    expect(matchesIfNoneMatch(withTag(header) ?? null, TAG)).toBe(want);
  },
);

test("If-None-Match names no tag without its quotes", () => {
  expect(matchesIfNoneMatch(TAG.slice(1, -1), TAG)).toBe(false);
});
