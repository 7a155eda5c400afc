import { describe, expect, test } from "vitest";
import type { RecordKind } from "../../src/domain/records/record.ts";
import { type CsvTable, readCsvLines } from "../../src/transfer/csv-lines.ts";
import { readRecords } from "../../src/transfer/import-lines.ts";
import { LINE_LIMIT } from "../../src/transfer/line-splitter.ts";
import { readCpu } from "../harness/cpu-time.ts";

interface Options {
  readonly kind?: RecordKind;
  readonly columns?: Readonly<Record<string, string>>;
  readonly constants?: Readonly<Record<string, string>>;
}

function toTable({ kind = "event", columns = {}, constants = {} }: Options): CsvTable {
  return {
    kind,
    columns: new Map(Object.entries(columns)),
    constants: new Map(Object.entries(constants)),
  };
}

/** Reads CSV in pieces of a size. */
async function read(csv: string | Uint8Array, options: Options = {}, size = 100_000) {
  const bytes = Buffer.from(csv);
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += size) {
    pieces.push(bytes.subarray(from, from + size));
  }
  const lines: (readonly [number: number, resource: unknown])[] = [];
  let error = "";
  try {
    for await (const portion of readCsvLines(pieces, toTable(options))) {
      for (const { number, text } of portion) {
        lines.push([number, JSON.parse(text)[options.kind ?? "event"]]);
      }
    }
  } catch (cause) {
    error = (cause as Error).message;
  }
  return { lines, error };
}

describe("a row of CSV is the line of a record", () => {
  test.each<[string, string, unknown[], Options?]>([
    ["the names of the columns alone", "id\n", []],
    ["a byte order mark, CRLF and blank lines", "\ufeffid\r\n\r\na\r\n", [[3, { id: "a" }]]],
    ["no line end", "id\na", [[2, { id: "a" }]]],
    ["semicolons", "id;content_type\na;b,c\n", [[2, { id: "a", content_type: "b,c" }]]],
    ["tabs", "\ufeffid\tcontent_type\na\tb\n", [[2, { id: "a", content_type: "b" }]]],
    [
      "semicolons in a quoted name",
      '\n"x;y;z",id\nb,a\n',
      [[3, { id: "a", content_type: "b" }]],
      { columns: { "x;y;z": "content_type" } },
    ],
    ["spaces around a name", " id , content_type\na,b\n", [[2, { id: "a", content_type: "b" }]]],
    ["an empty cell", "id,content_type\na,\n", [[2, { id: "a" }]]],
    [
      "quotes, commas and line ends in a cell",
      'id,title\na,"x, ""y""\nz"\nb,ü\n',
      [
        [3, { id: "a", title: { en: 'x, "y"\nz' } }],
        [4, { id: "b", title: { en: "ü" } }],
      ],
      { columns: { title: "title.en" } },
    ],
    ["a column that is skipped", "id,note\na,b\n", [[2, { id: "a" }]], { columns: { note: "" } }],
    [
      "a value of every row",
      "id\na\nb\n",
      [
        [2, { id: "a", visibility: "VISIBILITY_PUBLISHED", fields: { year: 2024 } }],
        [3, { id: "b", visibility: "VISIBILITY_PUBLISHED", fields: { year: 2024 } }],
      ],
      { constants: { visibility: "VISIBILITY_PUBLISHED", "fields.year": "2024" } },
    ],
    [
      "a list",
      "id,entity_ids\na,b| c d ||e\nf,g\n",
      [
        [2, { id: "a", entity_ids: ["b", "c d", "e"] }],
        [3, { id: "f", entity_ids: ["g"] }],
      ],
    ],
    [
      "languages, and fields of fields",
      "id,title.en,title.pt-BR,fields.season.id,fields.season.year\na,b,c,d,2\n",
      [
        [
          2,
          { id: "a", title: { en: "b", "pt-BR": "c" }, fields: { season: { id: "d", year: 2 } } },
        ],
      ],
    ],
    [
      "names of a prototype",
      "id,fields.__proto__,fields.constructor.name\na,b,c\n",
      [[2, JSON.parse('{"id":"a","fields":{"__proto__":"b","constructor":{"name":"c"}}}')]],
    ],
    ...(
      [
        ["2024", 2024],
        ["-1.5", -1.5],
        ["8.0", 8],
        ["7.50", 7.5],
        ["0.00", 0],
        ["100", 100],
        ["0.0000001", 1e-7],
        ["9007199254740992", 2 ** 53],
        ["9007199254740993", "9007199254740993"],
        ["9007199254740993.0", "9007199254740993.0"],
        ["0.12345678901234567", "0.12345678901234567"],
        ["007", "007"],
        ["8.", "8."],
        ["1e3", "1e3"],
        ["1E5", "1E5"],
        ["12345678901234567890", "12345678901234567890"],
        ["true", true],
        ["FALSE", false],
        ["trueish", "trueish"],
        ["null", "null"],
        ['"[1,""a""]"', [1, "a"]],
        ["[1", "[1"],
        ["- text", "- text"],
      ] as const
    ).map(
      ([cell, want]) =>
        [
          `${cell} below fields`,
          `id,live\na,${cell}\n`,
          [[2, { id: "a", fields: { live: want } }]],
          { columns: { live: "fields.live" } },
        ] as [string, string, unknown[], Options],
    ),
  ])("%s", async (_, csv, want, options) => {
    for (const size of [1, 3, 100_000]) {
      expect(await read(csv, options, size)).toEqual({ lines: want, error: "" });
    }
  });

  test("many rows", async () => {
    const csv = `id\n${Array.from({ length: 1_201 }, (_, index) => `e${index}\n`).join("")}`;
    const { lines } = await read(csv);
    expect(lines.length).toBe(1_201);
    expect(lines.at(-1)).toEqual([1_202, { id: "e1200" }]);
  });
});

describe("an error names the line", () => {
  test.each<[string, string | Uint8Array, string | RegExp, Options?]>([
    ["nothing", "", "line 1: expected the names of the columns"],
    ["blank lines alone", "\n\n", "line 1: expected the names of the columns"],
    [
      "a missing cell",
      "id,content_type\na,b\nc\n",
      "line 3: the row must have as many cells as the header, 2, not 1",
    ],
    [
      "a cell too many",
      "id\na\nb,c\n",
      "line 3: the row must have as many cells as the header, 1, not 2",
    ],
    [
      "a map without a key",
      "id,title\n",
      'line 1: event.title: a map has no value of its own; did you mean "title.en"?',
    ],
    ["an open quote", 'id\na\n"b\n', "line 3: a quote is not closed"],
    [
      "a quote in a cell",
      'id\nb"c\n',
      'line 2: a quote within a cell must be written as "", and the cell in quotes',
    ],
    [
      "a text after a quote",
      'id\n"b"c\n',
      'line 2: a quote within a cell must be written as "", and the cell in quotes',
    ],
    ["another encoding", Buffer.from("id\na\n\xfc\n", "latin1"), "the text is not UTF-8"],
    ["a cut character", Buffer.from("id\na\n\xc3", "latin1"), "the text is not UTF-8"],
    [
      "another separator",
      "id|title\na|b\n",
      /^line 1: event\.id\|title: no field "id\|title", so --columns must map it; known: id, /,
    ],
    [
      "a name of no field",
      "id,titel\na,b\n",
      'line 1: event.titel: no field "titel", so --columns must map it; did you mean "title"?',
    ],
    [
      "a column that is not there",
      "id\na\n",
      'line 1: no column "ids"; did you mean "id"?',
      { columns: { ids: "id" } },
    ],
    ["two columns of a field", "id,id\na,b\n", "line 1: event.id: also set by the column of id"],
    [
      "a field and one below it",
      "id,title,title.en\na,b,c\n",
      "line 1: event.title.en: also set by the column of title",
    ],
    [
      "a column and a value of every row",
      "id,content_type\na,b\n",
      "line 1: event.content_type: also set by the column of content_type",
      { constants: { content_type: "c" } },
    ],
    [
      "a name of very many levels",
      `id,fields${".a".repeat(20_000)}\na,b\n`,
      /^line 1: event\.fields\.a\.a[.a]*…: nests deeper than 100 levels$/,
    ],
  ])("%s", async (_, csv, want, options) => {
    const got = await read(csv, options);
    expect(got.error).toMatch(want);
  });

  test("a row of the greatest length, and one past it", async () => {
    const csv = (length: number) => `id\na\n${"b".repeat(length)}\n`;
    expect((await read(csv(LINE_LIMIT), {}, 65_536)).lines.length).toBe(2);
    const { error } = await read(csv(LINE_LIMIT + 1), {}, 65_536);
    expect(error).toBe(`line 3: longer than ${LINE_LIMIT} bytes`);
  });
});

describe("in time that grows as the first line does", () => {
  const columns = (count: number) =>
    Array.from({ length: count }, (_, index) => `fields.${"a".repeat(50)}${index}`).join();
  test.each<[string, (part: number) => string]>([
    ["a line without an end", (part) => "b ".repeat((LINE_LIMIT / 2) * part)],
    ["a line of many columns", (part) => `${columns(20_000 * part)}\n`],
  ])("%s", async (_, csv) => {
    const timeOf = async (part: number) => {
      const start = readCpu();
      await read(csv(part), {}, 65_536);
      return readCpu() - start;
    };
    await timeOf(1 / 8);
    expect(await timeOf(1)).toBeLessThan(32 * (await timeOf(1 / 8)) + 100);
  });
});

test("the rows are records, whose errors name the line and the field", async () => {
  const options = { kind: "creative_work" as const, constants: { project_id: "p" } };
  const records: string[] = [];
  const readAll = async () => {
    const csv = "id,visibility\na,VISIBILITY_PUBLISHED\nb,PUBLISHED\n";
    for await (const portion of readRecords([Buffer.from(csv)], { csv: toTable(options) })) {
      records.push(...portion.map(({ line, kind }) => `${line} ${kind}`));
    }
  };
  await expect(readAll()).rejects.toThrow(/^line 3: creative_work\.visibility: "PUBLISHED" is not/);
  expect(records).toEqual(["2 creative_work"]);
});
