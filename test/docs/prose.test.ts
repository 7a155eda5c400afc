import { describe, expect, test } from "vitest";
import { readFiles } from "../conventions/source-files.ts";
import { PAGES, type Page } from "./pages.ts";
import { readProse } from "./source-prose.ts";

/** The words and turns that texts avoid, each with the plain way. */
const RULES: readonly (readonly [plain: string, avoided: RegExp])[] = [
  // The key of stored responses contains a label with the word.
  ["response, return, serve", /(?<!marquee sealed )\banswer(s|ed|ing)?\b/gi],
  ["reject, deny", /\brefus(e|es|ed|ing|al|als)\b/gi],
  ["show, report", /\b(tells?|told)\b/gi],
  ["error", /\bfaults?\b/gi],
  ["protocol", /\bfaces?\b/gi],
  ["ETag", /\bentity tags?\b/gi],
  ["Studio API", /\bmanagement (API|interface)\b/gi],
  ["because", /, as (it|they|he|this|these|there|no|most|few|both|all|only|each) /g],
  [
    "the noun, not what or who",
    /(^|[.:;|])[^\S\n]*(What|Who|Whoever) (?!is|are|does|do|to|may|can|happens)\w+/gm,
  ],
  ["the noun, not that of", /\b(that|those) of\b/gi],
  ["two sentences, not which", /\b(in|by|for|after|before|under|through) (which|whose|whom)\b/gi],
  ["is not a", /(?<!there )\b(is|are) no (?!longer|more|less)\w+/gi],
  ["does not need to", /\bneed not\b/gi],
  ["instead of", /\bin (the )?place of\b/gi],
  ["again, with, nothing", /\b(anew|likewise|beside|nobody|whoever|whatever|meanwhile)\b/gi],
  ["omitted", /\bleft out\b/gi],
  ["fail, end", /\bg(ives?|iven|ave) up\b/gi],
  ["American spelling", /\b(colour|favour|honour|behaviour|neighbour|licence|catalogue)\w*/gi],
];

/** The most words of a sentence. */
const MOST_WORDS = 30;

/** The program that injects faults, its page, and links to it. */
const FAULTS =
  /^tools\/faults\/|docs\/contributing\/(faults|benchmarks)\.md$|CONTRIBUTING\.md$|docs\/README\.md$/;

const PROTOS: readonly Page[] = readFiles("proto/svc", ".proto").map(({ path, text }) => ({
  path,
  text: text.replace(/^(?!\s*\/\/).*$/gm, "").replace(/^\s*\/\/ ?/gm, ""),
}));

/** The comments of configuration files, and the texts of alerts. */
const CONFIGS: readonly Page[] = readFiles(
  "deploy",
  ...[".conf", ".mjs", ".service", ".sh", ".vcl", ".yaml", ".yml"],
).map(({ path, text }) => ({
  path,
  text: text
    .replace(/^(?!\s*(#|\/\/|summary:|runbook:)).*$/gm, "")
    .replace(/^\s*(#|\/\/) {3}.*$|^\s*(#|\/\/) ?|(?<=: )"/gm, ""),
}));

/** The comments, messages, help and log lines of the program, its pages, packages, examples and tools. */
const SOURCES: readonly Page[] = ["demo", "examples", "packages", "src", "tools", "web"]
  .flatMap((folder) => readFiles(folder, ".ts", ".tsx"))
  .filter(({ path }) => !/node_modules|dist|\/gen\/|^demo\/data\//.test(path))
  .map(({ path, text }) => readProse(path, text));

const blank = (text: string) => text.replace(/[^\n]/g, " ");

/** Blanks code: blocks, code spans, and the targets of links. */
function blankCode(text: string): string {
  return text
    .replace(/^ *```[\s\S]*?^ *```$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`]*`/g, (code) => code.replace(/[^\n]/g, "X"))
    .replace(/\]\([^)]*\)/g, blank);
}

/** Lists what a page says against the rules, with the lines. */
function findViolations({ path, text }: Page): string[] {
  const prose = blankCode(text);
  const words = RULES.filter(([plain]) => plain !== "error" || !FAULTS.test(path)).flatMap(
    ([plain, avoided]) =>
      Array.from(prose.matchAll(acrossLines(avoided)), ({ 0: words, index }) => {
        const line = prose.slice(0, index + words.search(/\S/)).split("\n").length;
        return `${path}:${line}: "${words.trim()}", say: ${plain}`;
      }),
  );
  const long = listSentences(prose)
    .filter((sentence) => countWords(sentence) > MOST_WORDS)
    .map((sentence) => `${path}: ${countWords(sentence)} words: ${sentence.slice(0, 90)}`);
  return [...words, ...long];
}

/** Lets the words of a rule stand on two lines. */
function acrossLines({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replaceAll(" ", "\\s+"), flags);
}

/** Splits prose into sentences; items of lists, rows and cells of tables end one. */
function listSentences(prose: string): readonly string[] {
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.))|\|/)
    .flatMap((part) => part.replaceAll("\n", " ").split(/(?<=[.?!])\s+/))
    .map((sentence) => sentence.trim().replaceAll(/\s+/g, " "));
}

function countWords(sentence: string): number {
  return sentence.match(/[A-Za-z0-9][\w'’/.,-]*/g)?.length ?? 0;
}

describe("texts are plain", () => {
  for (const page of [...PAGES, ...PROTOS, ...CONFIGS, ...SOURCES]) {
    test(page.path, () => expect(findViolations(page)).toEqual([]));
  }
});

test.each([
  "Delivery answers what it knows.",
  "Send it again, as it may be lost.",
  "Those of the others stay.",
  "A page in which a rail stands.",
  `It has ${"so ".repeat(MOST_WORDS)}many words.`,
])("noticed: %s", (text) => {
  expect(findViolations({ path: "seeded.md", text })).toHaveLength(1);
});

test.each([
  ["comment", "/**\n * Returns nothing: those\n * of others stay.\n */\nconst a = 1;"],
  ["line comment", "const a = 1;\n  // It answers.\n"],
  ["message", "throw new Error(`field: must be one that it refuses`);"],
  ["help", 'const listen = { flag: "listen", help: "port, as it is free" };'],
  [
    "long comment",
    `// It has ${"so ".repeat(MOST_WORDS / 2)}\n// and ${"so ".repeat(MOST_WORDS / 2)}\n`,
  ],
])("noticed in a source file: a %s", (_, text) => {
  expect(findViolations(readProse("seeded.ts", text))).toHaveLength(1);
});

test("code is not prose", () => {
  const text = "Run `refuse`:\n\n```sh\necho answer\n```\n\nSee [this](answer.md).";
  expect(findViolations({ path: "seeded.md", text })).toEqual([]);
});
