import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBlocks, readPage } from "../docs/pages.ts";
import { type PageWalk, walkPages } from "../docs/walk-pages.ts";

let walk: PageWalk;
beforeAll(async () => {
  // The README's first two blocks start the demo and set the variables.
  const pages = ["README.md", "docs/clients.md"].map((path) => readBlocks(readPage(path)));
  const blocks = pages.flatMap((it, index) =>
    index === 0 ? it.filter(({ text }) => /npm start|PUBLIC_KEY=/.test(text)) : it,
  );
  walk = await walkPages(blocks);
});
afterAll(() => walk?.close());

test("the client of the README prints what is shown below it", () => {
  const form = /```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/;
  const [, code = "", shown] = form.exec(readPage("README.md").text) ?? [];
  const folder = join(walk.folder, "../first-client");
  writeFileSync(join(folder, "readme.mts"), walk.localize(code));
  const env = { ...process.env, PUBLIC_KEY: walk.variables.PUBLIC_KEY };
  const options = { cwd: folder, encoding: "utf8", env } as const;
  expect(execFileSync(process.execPath, ["readme.mts"], options)).toBe(shown);
});

test("the first minutes with the client run as typed", () => {
  const [, matches = "", page = "", renamed] = walk.printed("docs/clients.md");
  const lines = matches.trim().split("\n");
  expect(lines).toHaveLength(5);
  for (const line of lines.slice(0, 4)) expect(line).toContain("Spain");
  expect(lines[4]).toBe("filter KQL_SYNTAX 11");
  expect(page).toMatch(/^<h1>.+<\/h1>\n<h2>.+<\/h2>\n/);
  expect(page).toMatch(/<p>.+<\/p>/);
  expect(renamed).toBe("Hello\n");
});
