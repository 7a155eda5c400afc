import { expect, test } from "vitest";
import { readProse } from "./source-prose.ts";

test.each([
  ["/** Returns `null`. */\nexport const one = 1;", "| Returns XXXXXX. |"],
  ["/**\n * Checks a name.\n * Throws `NAME`.\n */", "| Checks a name. Throws XXXXXX. |"],
  ["// The first line\n// and the second.\nrun();", "The first line and the second."],
  ["// A list:\n//\n//   list = { item } ;", "A list:"],
  ['fail("must be a number");', "|must be a number|"],
  [`fail(\`\${field}: must be \${most} at most\`);`, "| X : must be X at most|"],
  [`fail(\`must be \${many ? "one of a list" : "x"}\`);`, "|must be X |one of a list| |"],
  ["print(`run \\`npm test\\` first\\nthen wait`);", "|run XXXXXXXXXXX first |then wait|"],
  [
    "print(`Exit codes:\n  0 done\n  1 failed with an error`);",
    "|Exit codes: | 0 done | 1 failed with an error|",
  ],
  ['const form = { help: "port, or 0" };', "|port, or 0|"],
])("%s", (text, want) => {
  expect(readProse("a.ts", text).text.replaceAll(/\s+/g, " ").trim()).toBe(want);
});

test.each([
  'import { answer } from "./answer.ts";',
  'header("content-type", "application/json");',
  "sql`with those of one`;",
  'query("select answer from response");',
  "write('<p>It answers</p>');",
  "style(`a { color: red; }\nb strong { color: blue; }`);",
  "const pattern = /it answers/;",
])("code: %s", (text) => {
  expect(readProse("a.ts", text).text.trim()).toBe("");
});

test("lines keep their numbers", () => {
  const { text } = readProse("a.ts", 'run(\n  1,\n); // Once.\n\nfail("too\\tmany runs");\n');
  expect(text.split("\n").map((line) => line.trim())).toEqual([
    "",
    "",
    "Once.",
    "",
    "|too tmany runs|",
    "",
  ]);
});

test("a file that is not TypeScript is an error", () => {
  expect(() => readProse("a.ts", "const = ;")).toThrow("a.ts: ");
});
