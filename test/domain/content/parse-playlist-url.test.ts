import fc from "fast-check";
import { expect, test } from "vitest";
import { printFolder, readFilePath } from "../../../src/domain/content/video.ts";
import { openCases } from "../../harness/cases.ts";

const each = openCases("content/file-path");

each<[path: string, want: readonly string[]]>(
  "a path splits into segments as a file server reads it",
  (path, want) => {
    expect(readFilePath(path)).toEqual(want);
  },
);

each<[string]>("an ambiguous path is rejected", (path) => {
  expect(readFilePath(path)).toBeUndefined();
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
