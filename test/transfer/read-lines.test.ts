import { describe, expect, test } from "vitest";
import { recordIdOf } from "../../src/domain/records/record.ts";
import { readRecords } from "../../src/transfer/import-lines.ts";
import { splitLines } from "../../src/transfer/line-splitter.ts";

/** How long a line may be, in bytes. */
const LINE_LIMIT = 4_194_304;

const event = (id: string, more: object = {}) => ({ event: { id, project_id: "p", ...more } });
const toLines = (...items: readonly object[]) =>
  items.map((item) => `${JSON.stringify(item)}\n`).join("");

/** An event whose line has so many bytes. */
function ofLength(id: string, length: number) {
  const short = JSON.stringify(event(id, { content_type: "" })).length;
  return event(id, { content_type: "x".repeat(length - short) });
}

/** Reads a file in pieces of a size. */
async function read(file: string | Uint8Array, size: number, projectId?: string) {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += size) {
    pieces.push(bytes.subarray(from, from + size));
  }
  const found: string[] = [];
  let error: Error | undefined;
  try {
    for await (const records of readRecords(pieces, { projectId })) {
      found.push(...records.map((it) => `${it.line} ${it.kind} ${recordIdOf(it)}`));
    }
  } catch (cause) {
    error = cause as Error;
  }
  return { found, error };
}

describe("lines are read wherever the pieces of a file end", () => {
  test.each<[string, string, readonly string[]]>([
    ["an empty file", "", []],
    ["only blank lines", "\n  \n\r\n", []],
    [
      "each kind",
      toLines(event("é"), { entity: { id: "b", projectId: "p" } }),
      ["1 event é", "2 entity b"],
    ],
    ["CRLF", toLines(event("a"), event("b")).replaceAll("\n", "\r\n"), ["1 event a", "2 event b"]],
    [
      "blank lines",
      `\n${toLines(event("a"))} \t\n${toLines(event("b"))}\n`,
      ["2 event a", "4 event b"],
    ],
    ["a byte order mark", `\ufeff${toLines(event("a"))}`, ["1 event a"]],
    [
      "no line feed at the end",
      toLines(event("a"), event("b")).trimEnd(),
      ["1 event a", "2 event b"],
    ],
  ])("%s", async (_, text, want) => {
    for (const size of [1, 2, 3, 7, 64, 100_000]) {
      expect(await read(text, size)).toEqual({ found: want, error: undefined });
    }
  });

  test("a line of the greatest length", async () => {
    const video = JSON.stringify({ video: { id: "a", project_id: "p", name: "n" } });
    const text = `${video}${" ".repeat(LINE_LIMIT - video.length)}\n${toLines(event("b"))}`;
    for (const size of [65_536, LINE_LIMIT * 2]) {
      expect((await read(text, size)).found).toEqual(["1 video a", "2 event b"]);
    }
  });
});

describe("an error names the line and the field, and what stands before it is kept", () => {
  const good = toLines(event("a"), event("b"));
  const deep = JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`);
  test.each<[string, string | Uint8Array, RegExp]>([
    ["broken JSON", `${good}{"event": {]\n`, /^line 3: .*column 12/],
    ["a byte order mark on a later line", `${good}\ufeff${toLines(event("c"))}`, /^line 3: /],
    ["a line that is cut off", `${good}{"event": {"id": "c"`, /^line 3: /],
    [
      "a list",
      `${good}[]\n`,
      /^line 3: must be a JSON object with one key of organization, project/,
    ],
    ["null", `${good}null\n`, /^line 3: must be a JSON object/],
    ["an unknown kind", `${good}{"show": {}}\n`, /^line 3: unknown kind 'show'/],
    ["an inherited kind", `${good}{"toString": {}}\n`, /^line 3: unknown kind 'toString'/],
    ["two kinds", `${good}{"event": {}, "entity": {}}\n`, /^line 3: must have exactly one key/],
    ["no kind", `${good}{}\n`, /^line 3: must have exactly one key/],
    ["no message", `${good}{"event": null}\n`, /^line 3: event/],
    [
      "an unknown field",
      good + toLines(event("a", { colour: 1 })),
      /^line 3: event\.colour: .*no field/,
    ],
    ["a wrong type", good + toLines(event("a", { title: { en: 5 } })), /^line 3: event\.title.*: /],
    [
      "a wrong item",
      good + toLines(event("a", { entity_ids: [1] })),
      /^line 3: event\.entity_ids.*: /,
    ],
    [
      "a field in two forms",
      good + toLines(event("a", { projectId: "p" })),
      /^line 3: event\.project_id: /,
    ],
    ["a bad time", good + toLines(event("a", { start_time: "x" })), /^line 3: event\.start_time: /],
    [
      "an unknown value",
      good + toLines(event("a", { visibility: "LOUD" })),
      /^line 3: event\.visibility: /,
    ],
    ["what is too deep", good + toLines(event("a", { fields: deep })), /^line 3: /],
    [
      "a missing id",
      good + toLines({ event: { project_id: "p" } }),
      /^line 3: event\.id: is required/,
    ],
    [
      "no project",
      good + toLines({ event: { id: "a" } }),
      /^line 3: event\.project_id: is required/,
    ],
    [
      "another project",
      good + toLines(event("a", { project_id: "q" })),
      /^line 3: event\.project_id: is q, but/,
    ],
    ["a huge line", `${good}${" ".repeat(LINE_LIMIT + 1)}\n`, /^line 3: longer than 4194304 bytes/],
    ["a huge line without an end", good + "x".repeat(LINE_LIMIT * 2), /^line 3: longer than/],
    [
      "a huge line that is content",
      good + toLines(ofLength("c", LINE_LIMIT + 1)),
      /^line 3: longer/,
    ],
    ["what is no UTF-8", Buffer.concat([Buffer.from(good), Buffer.of(0xff)]), /^line 3: not UTF-8/],
  ])("%s", async (name, file, want) => {
    for (const size of [100, 65_536, 100_000_000]) {
      const { found, error } = await read(file, size, name.includes("another") ? "p" : undefined);
      expect(error?.message).toMatch(want);
      expect(found).toEqual(["1 event a", "2 event b"]);
    }
  });

  test("a line without an end is rejected before it takes all memory", async () => {
    let read = 0;
    function* readForever() {
      for (; read < 1_000; read += 1) yield Buffer.alloc(65_536, "x");
    }
    await expect(splitLines(readForever()).next()).rejects.toThrow(
      /^line 1: longer than 4194304 bytes/,
    );
    expect(read).toBe(64);
  });

  test("a project fills in for a missing one", async () => {
    const got = await read(toLines({ event: { id: "a" } }, event("b")), 64, "p");
    expect(got).toEqual({ found: ["1 event a", "2 event b"], error: undefined });
  });
});
