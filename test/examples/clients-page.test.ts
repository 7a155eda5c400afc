import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isShownAs, readBlocks, readPage } from "../docs/pages.ts";
import { type PageWalk, walkPages } from "../docs/walk-pages.ts";
import { createFolder } from "../harness/folder.ts";
import { installNode } from "./packed.ts";

// The README's first two blocks start the demo and set the variables.
const FIRST = readBlocks(readPage("README.md")).filter(({ text }) =>
  /npm start|PUBLIC_KEY=/.test(text),
);
const BLOCKS = readBlocks(readPage("docs/clients.md"));

const folder = createFolder({ isOnDisk: true });

/** The folder of the oldest Node that the README allows, where npm has one. */
let bin: string | undefined;
let walk: PageWalk;
beforeAll(async () => {
  bin = await installNode(join(folder.path, "node"), "20.20.2");
  walk = await walkPages([...FIRST, ...BLOCKS], { bin });
});
afterAll(() => walk?.close());
afterAll(() => folder.remove());

test.each(["README.md", "packages/client/README.md"])(
  "the client of %s prints what is shown below it",
  (page) => {
    const form = /```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/;
    const [, code = "", shown] = form.exec(readPage(page).text) ?? [];
    const cwd = join(walk.folder, "../first-client");
    writeFileSync(join(cwd, "readme.mjs"), walk.localize(code));
    const env = { ...process.env, PUBLIC_KEY: walk.variables.PUBLIC_KEY };
    const node = bin === undefined ? process.execPath : join(bin, "node");
    expect(execFileSync(node, ["readme.mjs"], { cwd, encoding: "utf8", env })).toBe(shown);
  },
);

test.each(BLOCKS.filter(({ output }) => output !== undefined))(
  "a program on the page of clients prints what the page shows: $section",
  (block) => {
    const [got, want] = [walk.outputOf(block), walk.localize(block.output ?? "")];
    if (!isShownAs(got, want)) expect(got).toBe(want);
  },
);
