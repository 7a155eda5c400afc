import { existsSync, globSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../harness/process.ts";
import { GUIDES, listAnchors, PAGES, type Page, readPage, withoutCode } from "./pages.ts";

/** Lists the links of a page that lead to no page, no file or no heading. */
function listBrokenLinks({ path, text }: Page): string[] {
  const links = Array.from(withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : posix.join(posix.dirname(path), file);
    if (!existsSync(`${ROOT}${target}`)) return true;
    return anchor !== undefined && !listAnchors(readPage(target)).has(anchor);
  });
}

describe("links", () => {
  test.each(PAGES.map((page) => [page.path, page] as const))("of %s lead somewhere", (_, page) => {
    expect(listBrokenLinks(page)).toEqual([]);
  });

  test("that lead nowhere are found", () => {
    const text = "[a](docs/nothing.md) [b](README.md#nothing) [c](README.md#try-it) [d](#e)";
    expect(listBrokenLinks({ path: "CHANGELOG.md", text: `# E\n${text}` })).toEqual([
      "docs/nothing.md",
      "README.md#nothing",
      "#e",
    ]);
  });

  test("lead to every picture", () => {
    const linked = PAGES.flatMap(({ path, text }) =>
      Array.from(text.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g), ([, link = ""]) =>
        posix.join(posix.dirname(path), link),
      ),
    );
    const pictures = globSync("docs/**/*.webp", { cwd: ROOT });
    expect(pictures.filter((it) => !linked.includes(it))).toEqual([]);
  });

  test("lead from the README or docs/README.md to every guide", () => {
    const index = GUIDES.slice(0, 2)
      .map(({ text }) => text)
      .join();
    const lost = GUIDES.slice(2).filter(({ path }) => !index.includes(posix.basename(path)));
    expect(lost.map(({ path }) => path)).toEqual([]);
  });
});
