import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GUIDES, isShownAs, readBlocks, readPage } from "./pages.ts";
import { type PageWalk, walkPages } from "./walk-pages.ts";

const BLOCKS = GUIDES.flatMap(readBlocks);

describe("every command of the guides runs as typed, in order, on a fresh clone", () => {
  let walk: PageWalk;
  beforeAll(async () => {
    walk = await walkPages(BLOCKS);
  }, 600_000);
  afterAll(() => walk?.close());

  test.each(
    BLOCKS.flatMap((block) =>
      block.output === undefined ? [] : [[block.page, block.text.slice(0, 60), block] as const],
    ),
  )("the output shown on %s is what its command prints: %s", (_page, _start, block) => {
    const [got, want] = [walk.outputOf(block), walk.localize(block.output ?? "")];
    if (!isShownAs(got, want)) expect(got).toBe(want);
  });

  test("the filters of the table find content", async () => {
    const [, section = ""] = readPage("docs/find-content.md").text.split("\n## Filter\n");
    const rows = section.matchAll(/^\|[^|]*\| `([^`]+)` \|/gm);
    const filters = Array.from(rows, ([, example = ""]) => example).slice(0, 10);
    expect(filters).toHaveLength(10);
    const url = walk.localize("http://127.0.0.1:8080/svc.cda.cms.event.v1.EventService/ListEvents");
    for (const filter of filters) {
      const message = encodeURIComponent(JSON.stringify({ filter }));
      const got = await fetch(`${url}?encoding=json&message=${message}`, {
        headers: { authorization: `Bearer ${walk.variables.PUBLIC_KEY}` },
      });
      expect(got.status, filter).toBe(200);
      const found = (await got.json()) as { events?: object[] };
      expect(found.events?.length, filter).toBeGreaterThan(0);
    }
  });

  test("everything of an export is imported, and copied without the line of its organization", () => {
    const [, moved = "", , , , copied = ""] = walk.printed("docs/transfer.md");
    const countOf = (text: string) => Number(/imported (\d+) \(\1 created/.exec(text)?.[1]);
    expect(countOf(moved)).toBeGreaterThan(200);
    expect(countOf(copied)).toBe(countOf(moved) - 1);
  });

  test("a backup is restored with all that is in it", () => {
    const [made = ""] = walk.printed("docs/backup.md", "Back up SQLite");
    const [restored = ""] = walk.printed("docs/backup.md", "Restore SQLite");
    const countsOf = (text: string) => text.split("\n").filter((line) => /^ {2}\w+ +\d/.test(line));
    expect(countsOf(made).length).toBeGreaterThan(3);
    expect(countsOf(restored)).toEqual(countsOf(made));
  });
});

test("an output is compared apart from whitespace, and anything stands for …", () => {
  expect(isShownAs('{"a":1,\n"b":[2,3]}', '{\n  "a": 1, "b": [2, …]\n}')).toBe(true);
  expect(isShownAs('{"a":1,"c":2}', '{"a": 1, "b": …}')).toBe(false);
  expect(isShownAs("one two", "one")).toBe(false);
});

test("a command that fails is named with what it wrote, and pages share the first one's variables", async () => {
  const walked = walkPages([
    { page: "a.md", section: "", text: "A=1\n" },
    { page: "b.md", section: "", text: "A=2\n" },
    {
      page: "c.md",
      section: "",
      text: "echo $A gone >&2; cat nowhere | cat; bin/marquee import nowhere\n",
    },
  ]);
  await expect(walked).rejects.toThrow(
    /a block of c\.md fails:\necho [\s\S]*1 gone[\s\S]*marquee: <file>: no such file/,
  );
});
