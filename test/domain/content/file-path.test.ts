import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printFolder, readFilePath } from "../../../src/domain/content/file-path.ts";

describe("a path splits into segments as a file server reads it", () => {
  const cases: readonly (readonly [path: string, want: readonly string[]])[] = [
    ["/", [""]],
    ["/a", ["a"]],
    ["/a/", ["a", ""]],
    ["/a/b.m3u8", ["a", "b.m3u8"]],
    ["/a//b", ["a", "", "b"]],
    ["/%61/b%2em3u8", ["a", "b.m3u8"]],
    ["/a%2Fb", ["a", "b"]],
    ["/a%2fb%2F", ["a", "b", ""]],
    ["/a%20b/c+d", ["a b", "c+d"]],
    ["/%C3%A4/%FF", ["\u00c3\u00a4", "\u00ff"]],
    ["/a%3Fb%23c", ["a?b#c"]],
    ["/...", ["..."]],
    ["/.hidden/..b/c..", [".hidden", "..b", "c.."]],
    ["/a;v=1/b", ["a;v=1", "b"]],
    ["/50%25", ["50%"]],
  ];
  for (const [path, want] of cases) {
    test(path, () => expect(readFilePath(path)).toEqual(want));
  }
});

describe("an ambiguous path is rejected", () => {
  const cases = [
    ...["", "a/b", "*", "http://media.example/a"],
    ...["/a/../b", "/..", "/a/..", "/./a", "/a/."],
    ...["/a/%2e%2e/b", "/a/.%2E/b", "/a/%2E./b", "/a%2f..%2fb", "/%2e%2e%2fb"],
    ...["/a/..;/b", "/a/..;x=1/b", "/a/%2e%2e%3b/b", "/a/..%20/b"],
    ...["/a\\..\\b", "/a/%5c..%5cb", "/a%5Cb"],
    ...["/a/%252e%252e/b", "/a%252fb", "/a/%25%32%65/b", "/a%255cb"],
    ...["/a%00", "/a%0d%0ab", "/a%7f", "/a\tb"],
    ...["/a%", "/a%2", "/a%zz", "/a#/../b", "/a/\u0100"],
  ];
  for (const path of cases) {
    test(JSON.stringify(path), () => expect(readFilePath(path)).toBeUndefined());
  }
});

test("a printed folder parses to itself and is valid in a cookie", () => {
  const segment = fc
    .array(fc.integer({ min: 0x20, max: 0xff }), { minLength: 1 })
    .map((bytes) => String.fromCharCode(...bytes).replace(/[\p{Cc}/]/gu, "-"));
  fc.assert(
    fc.property(fc.array(segment), (segments) => {
      const printed = printFolder(segments);
      expect(printed).toMatch(/^[!-~]+$/);
      expect(printed).not.toMatch(/[;,"]/);
      const read = readFilePath(printed);
      fc.pre(read !== undefined);
      expect(read).toEqual([...segments, ""]);
    }),
  );
});
