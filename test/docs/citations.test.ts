import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { readFiles } from "../conventions/source-files.ts";
import { CONTRACT } from "./pages.ts";

const FILES = [
  ...readFiles("src", ".ts", ".sql", ".md"),
  ...readFiles("demo", ".ts"),
  ...readFiles("proto", ".proto"),
  ...readFiles("test", ".ts"),
].filter(({ path }) => !path.startsWith("test/docs/"));

/** The numbers of the sections of each page, by the page's name. */
const SECTIONS = new Map(
  CONTRACT.map(({ path, text }) => [
    posix.basename(path, ".md"),
    Array.from(text.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm), ([, number = ""]) => number),
  ]),
);

/** Lists the citations of a text, such as `contract: rulesets 1 and 5`: page and number. */
function readCitations(text: string): [page: string, number: string][] {
  const joined = text.replaceAll(/\n\s*(?:\*|\/\/) ?/g, " ");
  const form = /contract: ([a-z-]+) (\d+(?:\.\d+)?(?:(?:, | and |, and | to )\d+(?:\.\d+)?)*)/g;
  return Array.from(joined.matchAll(form)).flatMap(([, page = "", numbers = ""]) =>
    numbers.split(/, and |, | and | to /).map((number): [string, string] => [page, number]),
  );
}

describe("the contract", () => {
  test.each([...SECTIONS])("numbers the sections of %s from 1 on", (_, numbers) => {
    const main = numbers.filter((it) => !it.includes("."));
    expect(main).toEqual(main.map((_number, index) => String(index + 1)));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test("has a section for every citation", () => {
    const cited = FILES.flatMap(({ path, text }) =>
      readCitations(text).map(([page, number]) => ({ path, page, number })),
    );
    expect(cited.length).toBeGreaterThan(60);
    expect(cited.filter(({ page, number }) => !SECTIONS.get(page)?.includes(number))).toEqual([]);
  });

  test("is cited in one form", () => {
    const mentions = FILES.flatMap(({ path, text }) => {
      const count = readCitations(text).length;
      const named = text.match(/contract: [a-z-]+ \d/g)?.length ?? 0;
      return named > count ? [path] : [];
    });
    expect(mentions).toEqual([]);
  });

  test("is all that is cited: no page that is not in the tree", () => {
    const absent = /\b(?:SPEC|CONTRACT|TRANSPORT|PEERS)\b|\b(?:KQL|DESIGN|STYLE|SCALE)\.md\b/;
    expect(FILES.filter(({ text }) => absent.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("is cited by page and numbers", () => {
    expect(
      readCitations("(contract: rulesets 1, 5 and 8)\n/** contract: kql 6.1\n * to 6.5 */"),
    ).toEqual([
      ["rulesets", "1"],
      ["rulesets", "5"],
      ["rulesets", "8"],
      ["kql", "6.1"],
      ["kql", "6.5"],
    ]);
  });
});
