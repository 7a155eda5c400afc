import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Chapter } from "../../src/domain/annotations/chapters.ts";
import { Code, DomainError } from "../../src/domain/base/errors.ts";
import { parseWebVtt, printWebVtt } from "../../src/transfer/web-vtt.ts";

/** A cue from the first to the second second. */
const TIMES = "00:01.000 --> 00:02.000";
const CHAPTER: Chapter = { id: "", start: 1_000, end: 2_000, title: "" };

describe("chapters are parsed", () => {
  test.each<[string, readonly (readonly [number, Partial<Chapter>])[]]>([
    ["WEBVTT", []],
    ["WEBVTT a title\nKind: chapters\nLanguage: en\n\n", []],
    [`\ufeffWEBVTT\n\n${TIMES}\n`, [[3, {}]]],
    [`WEBVTT\n\nid 1\n${TIMES}\nKick-off`, [[3, { id: "id 1", title: "Kick-off" }]]],
    [
      `WEBVTT\r\n\r\n${TIMES}\r\na\r\nb\r\n\r\n${TIMES}\r\n`,
      [
        [3, { title: "a\nb" }],
        [7, {}],
      ],
    ],
    [`WEBVTT\r\r${TIMES}\ra\rb`, [[3, { title: "a\nb" }]]],
    [
      `WEBVTT\n\n\n\n${TIMES}\n\n\n\n${TIMES}\n\n\n`,
      [
        [5, {}],
        [9, {}],
      ],
    ],
    ["WEBVTT\n\n\t00:00:01.000\t -->\t123:00:00.000\t\n", [[3, { end: 442_800_000 }]]],
    [`WEBVTT\n\n${TIMES} line:0 position:20%,line-left  align:start\nx\n`, [[3, { title: "x" }]]],
    [`WEBVTT\n\n${TIMES}\na\0b\n`, [[3, { title: "a\ufffdb" }]]],
    [`WEBVTT\n\n${TIMES}\nNOTE x\n`, [[3, { title: "NOTE x" }]]],
    [`WEBVTT\n\nNOTES\n${TIMES}\n`, [[3, { id: "NOTES" }]]],
    [
      `WEBVTT\n\n00:05.000 --> 00:06.000\n\n${TIMES}\n`,
      [
        [3, { start: 5_000, end: 6_000 }],
        [5, {}],
      ],
    ],
    ["WEBVTT\n\n00:01.000 --> 00:01.000\n", [[3, { end: 1_000 }]]],
    [
      `WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\nNOTE\nfree\n\n${TIMES}\n\nNOTE the end`,
      [[12, {}]],
    ],
    ["WEBVTT\n\n00:01.000 --> 87660000:00:00.000", [[3, { end: 315_576_000_000_000 }]]],
  ])("%j", (text, want) => {
    expect(parseWebVtt(text)).toEqual(
      want.map(([line, chapter]) => ({ line, chapter: { ...CHAPTER, ...chapter } })),
    );
  });
});

describe("the title is what a player shows of the text", () => {
  test.each([
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
  ])("%j: %j", (payload, want) => {
    const [parsed] = parseWebVtt(`WEBVTT\n\n${TIMES}\n${payload}`);
    expect(parsed?.chapter.title).toBe(want);
  });

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
  test.each([
    ["", "line 1: the text must begin with WEBVTT"],
    [`1\n${TIMES}\n`, "line 1: the text must begin with WEBVTT"],
    ["WEBVTTX\n", "line 1: the text must begin with WEBVTT"],
    ["webvtt\n", "line 1: the text must begin with WEBVTT"],
    ["\nWEBVTT\n", "line 1: the text must begin with WEBVTT"],
    [`WEBVTT\n${TIMES}\n`, "line 2: missing empty line between"],
    [cues("a\ntitle"), "line 3: expected a cue, with '-->'"],
    [cues(`${TIMES}\na\n\nb`), "line 6: expected a cue"],
    [cues(`a\nb\n${TIMES}`), "line 3: expected a cue"],
    [cues(`${TIMES}\na\n${TIMES}`), "line 5: unexpected '-->' in the text of a cue"],
    [cues(`NOTE\n${TIMES}`), "line 4: unexpected '-->' in a NOTE, STYLE or REGION"],
    [cues("STYLE\na\n-->"), "line 5: unexpected '-->' in a NOTE, STYLE or REGION"],
    [cues("a\n00:01.000-->00:02.000"), "line 4: expected 'hh:mm:ss.mmm --> hh:mm:ss.mmm'"],
    [cues("00:01.000 -->"), "line 3: expected 'hh:mm:ss.mmm --> "],
    [cues(" --> 00:01.000"), "line 3: expected 'hh:mm:ss.mmm --> "],
    [cues("a\n00:00:01,000 --> 00:02.000"), 'line 4: "00:00:01,000" is not a time [hh:]mm:ss.mmm'],
    [cues("00:01.000 --> 00:60.000"), 'line 3: "00:60.000" is not a time'],
    [cues(`${TIMES} Goal`), "line 3: the setting \"Goal\" is not 'name:value'"],
    [cues("00:01.000 --> 99999999:00:00.000"), 'line 3: "99999999:00:00.000" is not a time'],
    [cues(`a\n${TIMES}`, `a\n${TIMES}`), 'line 6: id: duplicate of "a" on line 3'],
    [
      cues(TIMES, "00:02.000 --> 00:01.000"),
      "line 5: the end 00:01.000 must not be before the start 00:02.000",
    ],
    [cues("00:01.000 --> 87660000:00:00.001"), 'line 3: "87660000:00:00.001" is not a time'],
    [cues("00:02.000 --> 00:01.000", "x"), "line 3: the end "],
  ])("%j: %s", (text, want) => {
    expect(rejectionOf(text).slice(0, want.length)).toBe(want);
  });

  test.each(["\r\n", "\r"])("at the same line with %j", (end) => {
    const text = cues(`a\n${TIMES}\nx`, "b\nbad --> bad").replaceAll("\n", end);
    expect(rejectionOf(text)).toContain('line 8: "bad"');
  });
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
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect([error.code, error.reason]).toEqual([Code.INVALID_ARGUMENT, "WEBVTT_MALFORMED"]);
    return error.message;
  }
  throw new Error("the file was parsed");
}
