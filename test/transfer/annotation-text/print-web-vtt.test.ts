import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { parseWebVtt, printWebVtt } from "../../../src/transfer/annotation-text/web-vtt.ts";

type Init = Exclude<MessageInitShape<typeof AnnotationSchema>, Annotation>;
const at = (seconds: bigint, nanos = 0) => ({ seconds, nanos });
const titleOf = ({ typeId }: Annotation) => `the ${typeId}`;

/** A scene whose offset is its start. */
const scene = (id: string, start: bigint, end: bigint, more: Init = {}): Init => ({
  id,
  offset: at(start),
  startOffset: at(start),
  endOffset: at(end),
  ...more,
});

describe("annotations are written as chapters", () => {
  const cases: readonly (readonly [string, readonly Init[], readonly string[]])[] = [
    ["none as a header", [], []],
    [
      "without a note where the cue says it all",
      [scene("a", 1n, 2n, { timerLabel: "Kick-off & <more>" })],
      ["", "a", "00:00:01.000 --> 00:00:02.000", "Kick-off &amp; &lt;more&gt;"],
    ],
    [
      "with a note of what a cue cannot show",
      [
        scene("a", 1n, 2n, {
          timerLabel: "45+2",
          typeId: "goal",
          offset: at(1n, 500_000_000),
          confidence: 0.9,
          order: 2n ** 63n - 1n,
          eventId: "e -->",
          creativeWorkId: "w",
          entityIds: ["x", "y;"],
          sourceId: "s",
          actionOverrides: { n: [1] },
          projectId: "p",
          videoId: "v",
        }),
      ],
      [
        "",
        'NOTE marquee {"id":"a","type_id":"goal","offset":"00:00:01.500","confidence":"0.9","order":"9223372036854775807","event_id":"e --\\u003e","creative_work_id":"w","entity_ids":["x","y;"],"source_id":"s","action_overrides":{"n":[1]}}',
        "",
        "a",
        "00:00:01.000 --> 00:00:02.000",
        "45+2",
      ],
    ],
    [
      "by start, order and id",
      [
        scene("c", 2n, 3n),
        scene("b", 1n, 3n, { order: 1n }),
        scene("d", 1n, 3n),
        scene("a", 1n, 3n),
        scene("z", 1n, 3n, { order: -1n }),
      ],
      [
        ...["", 'NOTE marquee {"id":"z","order":"-1"}', "", "z", "00:00:01.000 --> 00:00:03.000"],
        ...["", "a", "00:00:01.000 --> 00:00:03.000"],
        ...["", "d", "00:00:01.000 --> 00:00:03.000"],
        ...["", 'NOTE marquee {"id":"b","order":"1"}', "", "b", "00:00:01.000 --> 00:00:03.000"],
        ...["", "c", "00:00:02.000 --> 00:00:03.000"],
      ],
    ],
    [
      "without an end up to where a later one starts, the last for a millisecond",
      [
        { id: "a", offset: at(1n), startOffset: at(1n) },
        { id: "b", offset: at(1n), startOffset: at(1n) },
        { id: "c", offset: at(9n), startOffset: at(9n) },
      ],
      [
        'NOTE marquee {"id":"a","shown":{"end_offset":"00:00:09.000"}}',
        ...["", "a", "00:00:01.000 --> 00:00:09.000"],
        'NOTE marquee {"id":"b","shown":{"end_offset":"00:00:09.000"}}',
        ...["", "b", "00:00:01.000 --> 00:00:09.000"],
        'NOTE marquee {"id":"c","shown":{"end_offset":"00:00:09.001"}}',
        ...["", "c", "00:00:09.000 --> 00:00:09.001"],
      ].flatMap((line) => (line.startsWith("NOTE") ? ["", line] : [line])),
    ],
    [
      "with an end behind the start, and the exact one in the note",
      [scene("a", 1n, 1n)],
      [
        "",
        'NOTE marquee {"id":"a","end_offset":"00:00:01.000","shown":{"end_offset":"00:00:01.001"}}',
        ...["", "a", "00:00:01.000 --> 00:00:01.001"],
      ],
    ],
    [
      "with times cut to milliseconds, and the exact ones in the note",
      [scene("a", 1n, 2n, { startOffset: at(1n, 999_999), offset: at(1n, 999_999) })],
      [
        "",
        'NOTE marquee {"id":"a","start_offset":"00:00:01.000999999","shown":{"start_offset":"00:00:01.000"}}',
        ...["", "a", "00:00:01.000 --> 00:00:02.000"],
      ],
    ],
    [
      "from their moment, if they have no start",
      [{ id: "a", offset: at(5n) }],
      [
        "",
        'NOTE marquee {"id":"a","offset":"00:00:05.000","shown":{"start_offset":"00:00:05.000","end_offset":"00:00:05.001"}}',
        ...["", "a", "00:00:05.000 --> 00:00:05.001"],
      ],
    ],
    [
      "with a note that there is no moment",
      [{ id: "a", startOffset: at(1n), endOffset: at(2n) }],
      ["", 'NOTE marquee {"id":"a","offset":null}', "", "a", "00:00:01.000 --> 00:00:02.000"],
    ],
    [
      "with a title that a cue can show, and the exact label in the note",
      [scene("a", 1n, 2n, { timerLabel: " x\n\ny\n" })],
      [
        "",
        'NOTE marquee {"id":"a","timer_label":" x\\n\\ny\\n","shown":{"timer_label":"x\\ny"}}',
        ...["", "a", "00:00:01.000 --> 00:00:02.000", "x", "y"],
      ],
    ],
    [
      "with an id that no cue may have in the note alone",
      [scene("NOTE a", 1n, 2n), scene("a-->b", 3n, 4n), scene("STYLES", 5n, 6n), scene("", 7n, 8n)],
      [
        ...["", 'NOTE marquee {"id":"NOTE a"}', "", "00:00:01.000 --> 00:00:02.000"],
        ...["", 'NOTE marquee {"id":"a--\\u003eb"}', "", "00:00:03.000 --> 00:00:04.000"],
        ...["", "STYLES", "00:00:05.000 --> 00:00:06.000"],
        ...["", "00:00:07.000 --> 00:00:08.000"],
      ],
    ],
  ];
  for (const [name, inits, want] of cases) {
    test(name, () => {
      const got = printWebVtt(inits.map((it) => create(AnnotationSchema, it)));
      expect(got.split("\n")).toEqual(["WEBVTT", ...want, ""]);
    });
  }

  test("with a given title, if there is no label, and the note says so", () => {
    const goal = create(AnnotationSchema, scene("a", 1n, 2n, { typeId: "goal" }));
    const text = printWebVtt([goal], { titleOf });
    expect(text).toBe(
      'WEBVTT\n\nNOTE marquee {"id":"a","type_id":"goal","shown":{"timer_label":"the goal"}}\n\na\n00:00:01.000 --> 00:00:02.000\nthe goal\n',
    );
    expect(parseWebVtt(text)).toEqual([{ line: 5, annotation: goal }]);
  });

  test("with the label, if there is one", () => {
    const text = printWebVtt([create(AnnotationSchema, { timerLabel: "90" })], { titleOf });
    expect(text).toContain("\n90\n");
  });
});

test("the longest offset is written and read", () => {
  const want = create(AnnotationSchema, {
    offset: at(315_576_000_000n, 999_999_999),
    startOffset: at(315_576_000_000n, 999_999_999),
  });
  const text = printWebVtt([want]);
  expect(text).toContain("87660000:00:00.999 --> 87660000:00:01.000");
  expect(parseWebVtt(text)[0]?.annotation).toEqual(want);
});

test("fifty thousand annotations are written and read", () => {
  const many = Array.from({ length: 50_000 }, (_, order) =>
    create(AnnotationSchema, { id: `a${order}`, order: BigInt(order) }),
  );
  expect(parseWebVtt(printWebVtt(many)).map((it) => it.annotation)).toEqual(many);
});
