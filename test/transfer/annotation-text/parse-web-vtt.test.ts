import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { parseWebVtt } from "../../../src/transfer/annotation-text/web-vtt.ts";
import { faultOf } from "./fault-of.ts";

type Init = MessageInitShape<typeof AnnotationSchema>;
const at = (seconds: bigint, nanos = 0) => ({ seconds, nanos });

/** What a cue from the first to the second second says. */
const CUE: Init = { offset: at(1n), startOffset: at(1n), endOffset: at(2n) };
const TIMES = "00:01.000 --> 00:02.000";
const note = (json: string, cue = `a\n${TIMES}`) => `WEBVTT\n\nNOTE marquee ${json}\n\n${cue}\n`;

describe("chapters are read", () => {
  const cases: readonly (readonly [string, string, readonly (readonly [number, Init])[]])[] = [
    ["none from a header", "WEBVTT", []],
    [
      "none from a header with text and metadata",
      "WEBVTT a title\nKind: chapters\nLanguage: en\n\n",
      [],
    ],
    ["after a byte order mark", `\ufeffWEBVTT\n\n${TIMES}\n`, [[3, CUE]]],
    [
      "with an identifier and a title",
      `WEBVTT\n\nid 1\n${TIMES}\nKick-off`,
      [[3, { ...CUE, id: "id 1", timerLabel: "Kick-off" }]],
    ],
    [
      "with CRLF",
      `WEBVTT\r\n\r\n${TIMES}\r\na\r\nb\r\n\r\n${TIMES}\r\n`,
      [
        [3, { ...CUE, timerLabel: "a\nb" }],
        [7, CUE],
      ],
    ],
    ["with CR", `WEBVTT\r\r${TIMES}\ra\rb`, [[3, { ...CUE, timerLabel: "a\nb" }]]],
    [
      "with many empty lines",
      `WEBVTT\n\n\n\n${TIMES}\n\n\n\n${TIMES}\n\n\n`,
      [
        [5, CUE],
        [9, CUE],
      ],
    ],
    [
      "with hours and tabs",
      "WEBVTT\n\n\t00:00:01.000\t -->\t123:00:00.000\t\n",
      [[3, { ...CUE, endOffset: at(442_800n) }]],
    ],
    [
      "with settings",
      `WEBVTT\n\n${TIMES} line:0 position:20%,line-left  align:start\nx\n`,
      [[3, { ...CUE, timerLabel: "x" }]],
    ],
    [
      "with markup and references",
      `WEBVTT\n\n${TIMES}\n<b>a</b> &amp; &lt;b&gt;\n`,
      [[3, { ...CUE, timerLabel: "a & <b>" }]],
    ],
    ["with U+0000", `WEBVTT\n\n${TIMES}\na\0b\n`, [[3, { ...CUE, timerLabel: "a\ufffdb" }]]],
    [
      "with a title like a note",
      `WEBVTT\n\n${TIMES}\nNOTE marquee {}\n`,
      [[3, { ...CUE, timerLabel: "NOTE marquee {}" }]],
    ],
    [
      "with an identifier like a note",
      `WEBVTT\n\nNOTES\n${TIMES}\n`,
      [[3, { ...CUE, id: "NOTES" }]],
    ],
    [
      "in any order",
      `WEBVTT\n\n00:05.000 --> 00:06.000\n\n${TIMES}\n`,
      [
        [3, { offset: at(5n), startOffset: at(5n), endOffset: at(6n) }],
        [5, CUE],
      ],
    ],
    [
      "without a length",
      "WEBVTT\n\n00:01.000 --> 00:01.000\n",
      [[3, { ...CUE, endOffset: at(1n) }]],
    ],
    [
      "between notes, styles and regions",
      `WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\nNOTE\nfree\n\nNOTE marquee is a product\n\n${TIMES}\n\nNOTE the end`,
      [[14, CUE]],
    ],
    [
      "with a note",
      note(
        '{"id":"a","type_id":"goal","offset":"1.5s","confidence":"0.5","order":"-2","event_id":"e","creative_work_id":"w","entity_ids":["x"],"source_id":"s","action_overrides":{"a":null}}',
      ),
      [
        [
          5,
          {
            ...CUE,
            id: "a",
            typeId: "goal",
            offset: at(1n, 500_000_000),
            confidence: 0.5,
            order: -2n,
            eventId: "e",
            creativeWorkId: "w",
            entityIds: ["x"],
            sourceId: "s",
            actionOverrides: { a: null },
          },
        ],
      ],
    ],
    [
      "with a note of many lines",
      note('{"type_id":\n"goal"}'),
      [[6, { ...CUE, id: "a", typeId: "goal" }]],
    ],
    [
      "with ids in one text",
      note('{"entity_ids":"x;y"}'),
      [[5, { ...CUE, id: "a", entityIds: ["x", "y"] }]],
    ],
    [
      "with empty lists",
      note('{"entity_ids":[],"action_overrides":{}}'),
      [[5, { ...CUE, id: "a", actionOverrides: {} }]],
    ],
    ["with an id in the note alone", note('{"id":"b"}', TIMES), [[5, { ...CUE, id: "b" }]]],
    [
      "with another note between",
      note('{"type_id":"t"}', `NOTE x\n\n${TIMES}`),
      [[7, { ...CUE, typeId: "t" }]],
    ],
    [
      "with a note that is of one cue alone",
      note('{"type_id":"t"}', `${TIMES}\n\n${TIMES}`),
      [
        [5, { ...CUE, typeId: "t" }],
        [7, CUE],
      ],
    ],
    [
      "without a moment",
      note('{"offset":null}', TIMES),
      [[5, { startOffset: at(1n), endOffset: at(2n) }]],
    ],
    [
      "without an end that the cue shows",
      note('{"shown":{"end_offset":"00:00:02.000"}}', TIMES),
      [[5, { offset: at(1n), startOffset: at(1n) }]],
    ],
    [
      "with an end that was changed by hand",
      note('{"shown":{"end_offset":"00:00:09.000"}}', TIMES),
      [[5, CUE]],
    ],
    [
      "without a label that the cue shows",
      note('{"shown":{"timer_label":"Goal & more"}}', `${TIMES}\nGoal &amp; more`),
      [[5, CUE]],
    ],
    [
      "with a title that was changed by hand",
      note('{"shown":{"timer_label":"Goal"}}', `${TIMES}\nOwn goal`),
      [[5, { ...CUE, timerLabel: "Own goal" }]],
    ],
    [
      "with a title that was taken away by hand",
      note('{"timer_label":" x","shown":{"timer_label":"x"}}', TIMES),
      [[5, CUE]],
    ],
    [
      "with exact times",
      note(
        '{"start_offset":"1.0000005","end_offset":"2.000000001","shown":{"start_offset":"00:00:01.000","end_offset":"00:00:02.000"}}',
        TIMES,
      ),
      [[5, { offset: at(1n, 500), startOffset: at(1n, 500), endOffset: at(2n, 1) }]],
    ],
    [
      "without a start",
      note('{"shown":{"start_offset":"00:00:01.000"}}', TIMES),
      [[5, { endOffset: at(2n) }]],
    ],
  ];
  for (const [name, text, want] of cases) {
    test(name, () => {
      expect(parseWebVtt(text)).toEqual(
        want.map(([line, init]) => ({ line, annotation: create(AnnotationSchema, init) })),
      );
    });
  }
});

describe("a text is refused", () => {
  const cues = (...blocks: string[]) => ["WEBVTT", ...blocks].join("\n\n");
  const cases: readonly (readonly [string, string, string, reason?: string])[] = [
    ["that is empty", "", "line 1: the text must begin with WEBVTT"],
    ["of another format", `1\n${TIMES}\n`, "line 1: the text must begin with WEBVTT"],
    ["with another header", "WEBVTTX\n", "line 1: the text must begin with WEBVTT"],
    ["with a header in small letters", "webvtt\n", "line 1: the text must begin with WEBVTT"],
    ["with something before the header", "\nWEBVTT\n", "line 1: the text must begin with WEBVTT"],
    [
      "with a cue right below the header",
      `WEBVTT\n${TIMES}\n`,
      "line 2: missing empty line between",
    ],
    ["without times", cues("a\ntitle"), "line 3: expected a cue, with '-->'"],
    ["with an empty line in a title", cues(`${TIMES}\na\n\nb`), "line 6: expected a cue"],
    ["with times on the third line", cues(`a\nb\n${TIMES}`), "line 3: expected a cue"],
    [
      "with no empty line between cues",
      cues(`${TIMES}\na\n${TIMES}`),
      "line 5: unexpected '-->' in the text of a cue",
    ],
    [
      "with an arrow in a note",
      cues(`NOTE\n${TIMES}`),
      "line 4: unexpected '-->' in a NOTE, STYLE or REGION",
    ],
    [
      "with an arrow in a style",
      cues("STYLE\na\n-->"),
      "line 5: unexpected '-->' in a NOTE, STYLE or REGION",
    ],
    [
      "with times in one piece",
      cues("a\n00:01.000-->00:02.000"),
      "line 4: expected 'hh:mm:ss.mmm --> hh:mm:ss.mmm'",
    ],
    ["without an end", cues("00:01.000 -->"), "line 3: expected 'hh:mm:ss.mmm --> "],
    ["without a start", cues(" --> 00:01.000"), "line 3: expected 'hh:mm:ss.mmm --> "],
    [
      "with a comma",
      cues("a\n00:00:01,000 --> 00:02.000"),
      'line 4: "00:00:01,000" is not a time [hh:]mm:ss.mmm',
    ],
    [
      "with a second too many",
      cues("00:01.000 --> 00:60.000"),
      'line 3: "00:60.000" is not a time',
    ],
    [
      "with a title beside the times",
      cues(`${TIMES} Goal`),
      "line 3: the setting \"Goal\" is not 'name:value'",
    ],
    [
      "with a time that is too long",
      cues("00:01.000 --> 99999999:00:00.000"),
      'line 3: end_offset: "99999999:00:00.000" is not a time',
    ],
    [
      "with an id twice",
      cues(`a\n${TIMES}`, `a\n${TIMES}`),
      'line 6: id: duplicate of "a" on line 3',
    ],
    [
      "with an end before the start",
      cues(TIMES, "00:02.000 --> 00:01.000"),
      "line 5: annotation.end_offset: must not be before start_offset",
      "OFFSET_INVALID",
    ],
    ["with a note that is no JSON", note("{a"), "line 3: expected a JSON object"],
    [
      "with a note without its cue",
      cues(TIMES, "NOTE marquee {}", "NOTE x"),
      "line 5: no cue follows this NOTE marquee",
    ],
    [
      "with a note twice",
      note("{}", `NOTE marquee {}\n\n${TIMES}`),
      "line 3: no cue follows this NOTE marquee",
    ],
    ["with the note of another", note('{"id":"b"}'), 'line 5: id: the note above is for "b"'],
    [
      "with an unknown name in a note",
      note('{"video_id":"v"}'),
      'line 3: "video_id": unknown field in the note',
    ],
    [
      "with __proto__ in a note",
      note('{"__proto__":"v"}'),
      'line 3: "__proto__": unknown field in the note',
    ],
    ["with a number in a note", note('{"order":5}'), "line 3: order: wrong type"],
    ["with null in a note", note('{"type_id":null}'), "line 3: type_id: wrong type"],
    ["with a broken order", note('{"order":"x"}'), 'line 3: order: "x" is not a 64-bit integer'],
    ["with a broken offset", note('{"offset":"-1s"}'), 'line 3: offset: "-1s" is not a time'],
    [
      "with ids that are none",
      note('{"entity_ids":[1]}'),
      'line 3: entity_ids: "[1]" is not a list of ids',
    ],
    ["with ids that are null", note('{"entity_ids":null}'), "line 3: entity_ids: wrong type"],
    [
      "with overrides that are no object",
      note('{"action_overrides":[1]}'),
      "line 3: action_overrides: wrong type",
    ],
    [
      "with a label in a note alone",
      note('{"timer_label":"x"}'),
      "line 3: timer_label: the cue contains this field",
    ],
    ["with a broken shown", note('{"shown":[]}'), "line 3: shown: must be an object"],
    [
      "with shown of another field",
      note('{"shown":{"id":"x"}}'),
      'line 3: shown: unknown field "id"',
    ],
    [
      "with shown that is no text",
      note('{"shown":{"end_offset":1}}'),
      "line 3: shown.end_offset: must be a string",
    ],
    [
      "with a confidence past every number",
      note('{"confidence":"1e999"}'),
      "line 5: annotation.confidence: must be a finite number",
      "VALUE_OUT_OF_RANGE",
    ],
    [
      "with the first of its faults",
      cues("00:02.000 --> 00:01.000", "x"),
      "line 3: annotation.end_offset: ",
      "OFFSET_INVALID",
    ],
  ];
  for (const [name, text, want, reason = "WEBVTT_MALFORMED"] of cases) {
    test(`${name}: ${want}`, () => {
      const [gotReason, got] = faultOf(() => parseWebVtt(text));
      expect([gotReason, got.slice(0, want.length)]).toEqual([reason, want]);
    });
  }

  for (const [name, end] of [
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ] as const) {
    test(`at the same line with ${name}`, () => {
      const text = cues(`a\n${TIMES}\nx`, "b\nbad --> bad").replaceAll("\n", end);
      expect(faultOf(() => parseWebVtt(text))[1]).toContain('line 8: "bad"');
    });
  }
});
