import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { parseCsv, printCsv } from "../../../src/transfer/annotation-text/csv.ts";
import { faultOf } from "./fault-of.ts";

type Init = MessageInitShape<typeof AnnotationSchema>;
const at = (seconds: bigint, nanos = 0) => ({ seconds, nanos });
const HEADER =
  "id,type_id,offset,start_offset,end_offset,timer_label,confidence,order,event_id,creative_work_id,entity_ids,source_id,action_overrides\n";

describe("annotations are written", () => {
  const cases: readonly (readonly [string, readonly Init[], string])[] = [
    ["none as a header", [], ""],
    ["an empty one as an empty record", [{}], ",,,,,,,,,,,,\n"],
    [
      "with every field",
      [
        {
          id: "a1",
          projectId: "p",
          videoId: "v",
          typeId: "goal",
          offset: at(75n, 500_000_000),
          startOffset: at(70n),
          endOffset: at(3723n, 1),
          timerLabel: "45+2",
          confidence: 0.87,
          order: -3n,
          eventId: "e",
          creativeWorkId: "w",
          entityIds: ["x", "y"],
          sourceId: "s",
          actionOverrides: { a: [1, "b"] },
        },
      ],
      'a1,goal,00:01:15.500,00:01:10.000,01:02:03.000000001,45+2,0.87,-3,e,w,x;y,s,"{""a"":[1,""b""]}"\n',
    ],
    [
      "with quotes where a value needs them, and nothing before a formula",
      [{ id: '=1+"2"', timerLabel: "a\r\nb", sourceId: "c,d", eventId: "@x" }],
      '"=1+""2""",,,,,"a\r\nb",,,@x,,,"c,d",\n',
    ],
    [
      "with ids that have a semicolon",
      [{ entityIds: ["a;b", ""] }],
      ',,,,,,,,,,"[""a;b"",""""]",,\n',
    ],
    ["with an order of 64 bits", [{ order: 2n ** 63n - 1n }], ",,,,,,,9223372036854775807,,,,,\n"],
    ["with overrides that are empty", [{ actionOverrides: {} }], ",,,,,,,,,,,,{}\n"],
  ];
  for (const [name, inits, want] of cases) {
    test(name, () => {
      const got = printCsv(inits.map((it) => create(AnnotationSchema, it)));
      expect(got).toBe(HEADER + want);
    });
  }
});

describe("annotations are read", () => {
  const cases: readonly (readonly [string, string, readonly (readonly [number, Init])[]])[] = [
    ["from a header alone", HEADER, []],
    ["from a header without an end of the line", "id,order", []],
    [
      "with columns left out and in any order",
      "order,id\n5,a\n,b\n",
      [
        [2, { id: "a", order: 5n }],
        [3, { id: "b" }],
      ],
    ],
    ["after a byte order mark", "\ufeffid\na\n", [[2, { id: "a" }]]],
    [
      "with quotes around the columns",
      '\ufeff"id","order"\r\n"a","5"\r\n',
      [[2, { id: "a", order: 5n }]],
    ],
    ["without an end of the last line", "id\na", [[2, { id: "a" }]]],
    [
      "with empty lines between",
      "\n\nid\r\n\r\na\n\n\nb\n",
      [
        [5, { id: "a" }],
        [8, { id: "b" }],
      ],
    ],
    [
      "with mixed ends of lines",
      "id\ra\r\nb\nc",
      [
        [2, { id: "a" }],
        [3, { id: "b" }],
        [4, { id: "c" }],
      ],
    ],
    [
      "with lines in values, each a line of the text",
      'id,timer_label\r\na,"x\r\ny\nz\r"\r\nb,"""q"" "\r\nc,\r\n',
      [
        [2, { id: "a", timerLabel: "x\r\ny\nz\r" }],
        [6, { id: "b", timerLabel: '"q" ' }],
        [7, { id: "c" }],
      ],
    ],
    [
      "with the blanks of a value",
      "id,timer_label\na, b \n",
      [[2, { id: "a", timerLabel: " b " }]],
    ],
    [
      "with seconds",
      "offset\n75.5\n75.5s\n",
      [
        [2, { offset: at(75n, 500_000_000) }],
        [3, { offset: at(75n, 500_000_000) }],
      ],
    ],
    ["with ids", "entity_ids\na; b ;c\n", [[2, { entityIds: ["a", "b", "c"] }]]],
    ["with an array of ids", 'entity_ids\n"[""a;"",""""]"\n', [[2, { entityIds: ["a;", ""] }]]],
    [
      "with an exponent",
      "confidence\n1e-7\n-0.5\n",
      [
        [2, { confidence: 1e-7 }],
        [3, { confidence: -0.5 }],
      ],
    ],
    [
      "with the ends of 64 bits",
      "order\n-9223372036854775808\n9223372036854775807\n",
      [
        [2, { order: -(2n ** 63n) }],
        [3, { order: 2n ** 63n - 1n }],
      ],
    ],
    ["with a value that looks like a formula", "id\n=1+2\n", [[2, { id: "=1+2" }]]],
    [
      "without an id more than once",
      "id,order\n,1\n,1\n",
      [
        [2, { order: 1n }],
        [3, { order: 1n }],
      ],
    ],
    ["with a value that is empty and quoted", 'id\n""\n', [[2, {}]]],
  ];
  for (const [name, text, want] of cases) {
    test(name, () => {
      expect(parseCsv(text)).toEqual(
        want.map(([line, init]) => ({ line, annotation: create(AnnotationSchema, init) })),
      );
    });
  }
});

describe("a text is refused", () => {
  const deep = `${'{""a"":'.repeat(101)}1${"}".repeat(101)}`;
  const cases: readonly (readonly [string, string, string, reason?: string])[] = [
    ["without a header", "", "line 1: missing header; the columns are id, "],
    ["of empty lines", "\n\n", "line 1: missing header"],
    ["with an unknown column", "id,Offset\n", 'line 1: "Offset": unknown column'],
    ["with an unnamed column", "id,\n", 'line 1: "": unknown column'],
    [
      "with a field that only the service sets",
      "id,video_id\n",
      'line 1: "video_id": unknown column',
    ],
    ["with a column from Object", "constructor\n", 'line 1: "constructor": unknown column'],
    ["with a column twice", "\nid,order,id\n", "line 2: id: duplicate column"],
    [
      "with too few values",
      "id,order\na,1\nb\n",
      "line 3: expected 2 values as in the header, got 1",
    ],
    ["with too many values", "id\na,\n", "line 2: expected 1 values as in the header, got 2"],
    [
      "with a broken offset",
      "id,offset\na,1\nb,1:5\n",
      'line 3: offset: "1:5" is not a time such as',
    ],
    ["with a negative start", "start_offset\n-1\n", 'line 2: start_offset: "-1" is not a time'],
    ["with a decimal comma", 'end_offset\n"1,5"\n', 'line 2: end_offset: "1,5" is not a time'],
    [
      "with a time that is too long",
      "offset\n315576000001\n",
      'line 2: offset: "315576000001" is not a time',
    ],
    ["with picoseconds", "offset\n0.0000000001\n", 'line 2: offset: "0.0000000001" is not a time'],
    [
      "with a broken confidence",
      "confidence\n50%\n",
      'line 2: confidence: "50%" is not a decimal number',
    ],
    ["with NaN", "confidence\nNaN\n", 'line 2: confidence: "NaN" is not a decimal number'],
    ["with hexadecimal", "confidence\n0x1\n", 'line 2: confidence: "0x1" is not a decimal number'],
    ["with a fraction as order", "order\n1.0\n", 'line 2: order: "1.0" is not a 64-bit integer'],
    [
      "with an order too large",
      "order\n9223372036854775808\n",
      'line 2: order: "9223372036854775808" is not',
    ],
    [
      "with an order too small",
      "order\n-9223372036854775809\n",
      'line 2: order: "-9223372036854775809" is not',
    ],
    [
      "with an empty id of an entity",
      "entity_ids\na;;b\n",
      'line 2: entity_ids: "a;;b" is not a list of ids',
    ],
    [
      "with a broken array",
      'entity_ids\n"[""a"""\n',
      'line 2: entity_ids: "[\\"a\\"" is not a list of ids',
    ],
    [
      "with an array of numbers",
      "entity_ids\n[1]\n",
      'line 2: entity_ids: "[1]" is not a list of ids',
    ],
    [
      "with overrides that are no JSON",
      "action_overrides\n{a}\n",
      'line 2: action_overrides: "{a}" is not a JSON object',
    ],
    [
      "with overrides that are an array",
      "action_overrides\n[]\n",
      'line 2: action_overrides: "[]" is not a JSON object',
    ],
    [
      "with overrides that are too deep",
      `action_overrides\n"${deep}"\n`,
      "line 2: action_overrides: ",
    ],
    [
      "with half a surrogate pair",
      'action_overrides\n"{""a"":""\\ud800""}"\n',
      "line 2: action_overrides: ",
    ],
    [
      "with a quote that is open",
      'id,timer_label\na,x\n\nb,"y\nz\n',
      "line 4: timer_label: a quoted value has no closing",
    ],
    [
      "with something behind a quote",
      'id\n"a\n"b\n',
      'line 2: id: unexpected text after the closing "',
    ],
    [
      "with a quote in the midst",
      'id,order\n1,a"b"\n',
      'line 2: order: unexpected " in an unquoted value',
    ],
    ["with a broken header", 'id,"order\n', "line 1: a quoted value has"],
    [
      "with an id twice",
      'id,timer_label\na,"1\n2"\nb,\na,\n',
      'line 5: id: duplicate of "a" on line 2',
    ],
    ["with the first of its faults", 'id,order\na,x\nb,"\n', 'line 2: order: "x" is not'],
    [
      "with an end before the start",
      "start_offset,end_offset\n1,2\n2,1\n",
      "line 3: annotation.end_offset: must not be before start_offset",
      "OFFSET_INVALID",
    ],
    [
      "with a confidence past every number",
      "confidence\n1e999\n",
      "line 2: annotation.confidence: must be a finite number",
      "VALUE_OUT_OF_RANGE",
    ],
  ];
  for (const [name, text, want, reason = "CSV_MALFORMED"] of cases) {
    test(`${name}: ${want}`, () => {
      const [gotReason, got] = faultOf(() => parseCsv(text));
      expect([gotReason, got.slice(0, want.length)]).toEqual([reason, want]);
    });
  }

  test("with line and column apart", () => {
    expect(() => parseCsv("id,order\n\na,x")).toThrow(
      expect.objectContaining({ metadata: { line: "3", column: "order" } }),
    );
  });

  test("with a long value cut short", () => {
    const [, message] = faultOf(() => parseCsv(`order\n${"9".repeat(10_000)}\n`));
    expect(message.length).toBeLessThan(200);
  });
});

test("overrides may nest as deep as in a request", () => {
  const deep = `${'{""a"":'.repeat(100)}1${"}".repeat(100)}`;
  const [got] = parseCsv(`action_overrides\n"${deep}"\n`);
  expect(JSON.stringify(got?.annotation.actionOverrides)).toBe(deep.replaceAll('""', '"'));
});

test("a hundred thousand annotations are read and written", () => {
  const many = Array.from({ length: 100_000 }, (_, order) =>
    create(AnnotationSchema, { id: `a${order}`, order: BigInt(order) }),
  );
  const got = parseCsv(printCsv(many));
  expect(got.length).toBe(100_000);
  expect(got.at(-1)).toEqual({ line: 100_001, annotation: many.at(-1) });
});
