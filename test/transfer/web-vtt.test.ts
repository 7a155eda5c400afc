import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Chapter } from "../../src/domain/annotations/chapters.ts";
import { Code, DomainError } from "../../src/domain/errors.ts";
import { parseWebVtt, printWebVtt } from "../../src/transfer/web-vtt.ts";

/** A cue from the first to the second second. */
const TIMES = "00:01.000 --> 00:02.000";
const CHAPTER: Chapter = { id: "", start: 1_000, end: 2_000, title: "" };

describe("chapters are parsed", () => {
  test.each<[string, string, readonly (readonly [number, Partial<Chapter>])[]]>([
    ["none from a header", "WEBVTT", []],
    [
      "none from a header with text and metadata",
      "WEBVTT a title\nKind: chapters\nLanguage: en\n\n",
      [],
    ],
    ["after a byte order mark", `\ufeffWEBVTT\n\n${TIMES}\n`, [[3, {}]]],
    [
      "with an identifier and a title",
      `WEBVTT\n\nid 1\n${TIMES}\nKick-off`,
      [[3, { id: "id 1", title: "Kick-off" }]],
    ],
    [
      "with CRLF",
      `WEBVTT\r\n\r\n${TIMES}\r\na\r\nb\r\n\r\n${TIMES}\r\n`,
      [
        [3, { title: "a\nb" }],
        [7, {}],
      ],
    ],
    ["with CR", `WEBVTT\r\r${TIMES}\ra\rb`, [[3, { title: "a\nb" }]]],
    [
      "with many empty lines",
      `WEBVTT\n\n\n\n${TIMES}\n\n\n\n${TIMES}\n\n\n`,
      [
        [5, {}],
        [9, {}],
      ],
    ],
    [
      "with hours and tabs",
      "WEBVTT\n\n\t00:00:01.000\t -->\t123:00:00.000\t\n",
      [[3, { end: 442_800_000 }]],
    ],
    [
      "with settings",
      `WEBVTT\n\n${TIMES} line:0 position:20%,line-left  align:start\nx\n`,
      [[3, { title: "x" }]],
    ],
    ["with U+0000", `WEBVTT\n\n${TIMES}\na\0b\n`, [[3, { title: "a\ufffdb" }]]],
    ["with a title like a note", `WEBVTT\n\n${TIMES}\nNOTE x\n`, [[3, { title: "NOTE x" }]]],
    ["with an identifier like a note", `WEBVTT\n\nNOTES\n${TIMES}\n`, [[3, { id: "NOTES" }]]],
    [
      "in any order",
      `WEBVTT\n\n00:05.000 --> 00:06.000\n\n${TIMES}\n`,
      [
        [3, { start: 5_000, end: 6_000 }],
        [5, {}],
      ],
    ],
    ["without a length", "WEBVTT\n\n00:01.000 --> 00:01.000\n", [[3, { end: 1_000 }]]],
    [
      "between notes, styles and regions",
      `WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\nNOTE\nfree\n\n${TIMES}\n\nNOTE the end`,
      [[12, {}]],
    ],
    [
      "with the longest time",
      "WEBVTT\n\n00:01.000 --> 87660000:00:00.000",
      [[3, { end: 315_576_000_000_000 }]],
    ],
  ])("%s", (_, text, want) => {
    expect(parseWebVtt(text)).toEqual(
      want.map(([line, chapter]) => ({ line, chapter: { ...CHAPTER, ...chapter } })),
    );
  });
});

describe("the title is what a player shows of the text", () => {
  const cases: readonly (readonly [payload: string, want: string])[] = [
    ["", ""],
    ["45+2", "45+2"],
    [" two\nlines ", " two\nlines "],
    ["a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;", "a & b <c> \"d\" 'e'"],
    ["&nbsp;&lrm;&rlm;", "\u00a0\u200e\u200f"],
    ["&amp;lt;", "&lt;"],
    ["&#65;&#x42;&#X43;&#128165;", "ABC💥"],
    ["&#0;&#xd800;&#x110000;", "\ufffd\ufffd\ufffd"],
    ["AT&T; &unknown; & &", "AT&T; &unknown; & &"],
    ["&constructor;", "&constructor;"],
    ["<b>bold</b> <c.yellow>colour</c>", "bold colour"],
    ["<v Fred>Hi <i>there</i>", "Hi there"],
    ["a <00:01.000>b", "a b"],
    ["a < b", "a "],
    ["a <b\nc> d", "a  d"],
    ["a > b", "a > b"],
    ["<ruby>漢<rt>kan</rt>字<rt.x>ji</ruby>!", "漢字!"],
    ["a<rt>b", "a"],
    ["<rtl>a", "a"],
  ];
  for (const [payload, want] of cases) {
    test(JSON.stringify(payload), () => {
      const [parsed] = parseWebVtt(`WEBVTT\n\n${TIMES}\n${payload}`);
      expect(parsed?.chapter.title).toBe(want);
    });
  }

  test.each(["<", "<rt", "<rt.", "<rt>", "&", "&#", "<a"])(
    "a million times %s takes time as its length",
    (piece) => {
      const start = process.cpuUsage().user;
      parseWebVtt(`WEBVTT\n\n${TIMES}\n${piece.repeat(1_000_000)}`);
      expect(process.cpuUsage().user - start).toBeLessThan(4_000_000);
    },
  );
});

describe("a file is rejected", () => {
  const cues = (...blocks: string[]) => ["WEBVTT", ...blocks].join("\n\n");
  const cases: readonly (readonly [string, string, string])[] = [
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
      'line 3: "99999999:00:00.000" is not a time',
    ],
    [
      "with an id twice",
      cues(`a\n${TIMES}`, `a\n${TIMES}`),
      'line 6: id: duplicate of "a" on line 3',
    ],
    [
      "with an end before the start",
      cues(TIMES, "00:02.000 --> 00:01.000"),
      "line 5: the end 00:01.000 must not be before the start 00:02.000",
    ],
    [
      "with a time past the longest",
      cues("00:01.000 --> 87660000:00:00.001"),
      'line 3: "87660000:00:00.001" is not a time',
    ],
    ["with the first of its errors", cues("00:02.000 --> 00:01.000", "x"), "line 3: the end "],
  ];
  for (const [name, text, want] of cases) {
    test(`${name}: ${want}`, () => expect(rejectionOf(text).slice(0, want.length)).toBe(want));
  }

  for (const [name, end] of [
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ] as const) {
    test(`at the same line with ${name}`, () => {
      const text = cues(`a\n${TIMES}\nx`, "b\nbad --> bad").replaceAll("\n", end);
      expect(rejectionOf(text)).toContain('line 8: "bad"');
    });
  }
});

describe("printed chapters", () => {
  /** Titles as `toChapters` makes them, and ids as the service takes them. */
  const unit = fc.constantFrom(..."&<>;#-ab x".split(""), "&amp;", "-->", "<b>", "NOTE", "é🥅");
  const line = fc
    .string({ unit })
    .map((it) => it.trim())
    .filter((it) => it !== "");
  const time = fc.integer({ min: 0, max: 315_576_000_000_000 });
  const chapters = fc.uniqueArray(
    fc
      .tuple(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/), time, time, fc.array(line))
      .map(([id, a, b, lines]) => ({
        ...{ id, start: Math.min(a, b), end: Math.max(a, b) },
        title: lines.join("\n"),
      })),
    { selector: ({ id }) => id, maxLength: 6 },
  );
  const isNamed = ({ id }: Chapter) => !/^(NOTE|STYLE|REGION)$/.test(id);

  test("are parsed as they were, with any end of line", () => {
    fc.assert(
      fc.property(chapters, fc.constantFrom("\n", "\r\n", "\r"), (all, end) => {
        const text = printWebVtt(all).replaceAll("\n", end);
        const want = all.map((it) => (isNamed(it) ? it : { ...it, id: "" }));
        expect(parseWebVtt(text).map(({ chapter }) => chapter)).toEqual(want);
      }),
      { examples: [[[{ id: "NOTE", start: 0, end: 1, title: "a" }], "\n"]] },
    );
  });

  test("have their id, their times and their escaped title", () => {
    const chapter = { id: "a", start: 1_000, end: 3_723_004, title: "Kick-off & <more>" };
    expect(printWebVtt([chapter, CHAPTER])).toBe(
      "WEBVTT\n\na\n00:00:01.000 --> 01:02:03.004\nKick-off &amp; &lt;more&gt;\n\n" +
        "00:00:01.000 --> 00:00:02.000\n",
    );
    expect(printWebVtt([])).toBe("WEBVTT\n");
  });
});

/** Returns the message with which a file is rejected. */
function rejectionOf(text: string): string {
  try {
    parseWebVtt(text);
  } catch (fault) {
    if (!(fault instanceof DomainError)) throw fault;
    expect([fault.code, fault.reason]).toEqual([Code.INVALID_ARGUMENT, "WEBVTT_MALFORMED"]);
    return fault.message;
  }
  throw new Error("the file was parsed");
}
