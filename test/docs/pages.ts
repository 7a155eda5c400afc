import { readFileSync } from "node:fs";
import { readFiles, type SourceFile } from "../conventions/source-files.ts";
import { ROOT } from "../harness/process.ts";

/** A page of documentation. */
export interface Page {
  /** From the root of the repository, such as `docs/pages.md`. */
  readonly path: string;
  readonly text: string;
}

/** A shell block of a page. */
export interface PageBlock {
  readonly page: string;
  /** The second-level heading above it; empty above the first. */
  readonly section: string;
  readonly text: string;
  /** The output shown below it; `…` stands for anything. */
  readonly output?: string | undefined;
}

/** Reads a page. */
export function readPage(path: string): Page {
  return { path, text: readFileSync(`${ROOT}${path}`, "utf8") };
}

/** A page whose commands install packages: test/examples runs them. */
const INSTALLS = "docs/clients.md";

/** The pages whose commands build on each other: the README starts the demo, the quickstart makes a project in it. */
const PATH = [
  "README.md",
  "docs/README.md",
  "docs/quickstart.md",
  "docs/sign-in.md",
  "docs/protect-videos.md",
  "docs/sell.md",
];

/** The guides in the order in which their commands are run. */
export const GUIDES: readonly Page[] = [
  ...PATH.map(readPage),
  ...toPages(readFiles("docs", ".md")).filter(
    ({ path }) => ![...PATH, INSTALLS].includes(path) && !path.startsWith("docs/contract/"),
  ),
];

/** The pages of the contract. */
export const CONTRACT: readonly Page[] = toPages(readFiles("docs/contract", ".md"));

/** Every page, the papers beside the README and the READMEs of folders included. */
export const PAGES: readonly Page[] = [
  ...GUIDES,
  ...CONTRACT,
  ...[INSTALLS, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(readPage),
  ...toPages(["examples", "packages", "src"].flatMap((folder) => readFiles(folder, "README.md"))),
];

function toPages(files: readonly SourceFile[]): Page[] {
  return files.map(({ path, text }) => ({ path, text }));
}

/** Lists the shell blocks of a page, in order. A block of `json` or `text` right below one shows its output. */
export function readBlocks({ path, text }: Page): PageBlock[] {
  let section = "";
  const form = /^## (.*)$|^```sh\n([\s\S]*?)^```\n(?:\n```(?:json|text)\n([\s\S]*?)^```$)?/gm;
  return Array.from(text.matchAll(form)).flatMap(([, heading, block, output]) => {
    section = heading ?? section;
    return block === undefined ? [] : [{ page: path, section, text: block, output }];
  });
}

/** Reports whether a text is what a page shows, apart from whitespace; `…` stands for anything. */
export function isShownAs(text: string, shown: string): boolean {
  const parts = shown
    .split("…")
    .map((part) => part.replaceAll(/\s/g, "").replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text.replaceAll(/\s/g, ""));
}

/** Lists the anchors that a page's headings have, as code hosts make them. */
export function listAnchors({ text }: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    let count = 0;
    while (anchors.has(count === 0 ? anchor : `${anchor}-${count}`)) count += 1;
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** Empties the code blocks of a page. */
export function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "");
}
