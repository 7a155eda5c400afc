import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationText } from "../../../src/transfer/annotation-text/annotation-text.ts";
import { parseCsv, printCsv } from "../../../src/transfer/annotation-text/csv.ts";
import { parseWebVtt, printWebVtt } from "../../../src/transfer/annotation-text/web-vtt.ts";
import { annotations } from "./arbitraries.ts";

const titleOf = ({ typeId }: Annotation) => typeId;

const FORMATS: readonly {
  readonly name: string;
  readonly parse: (text: string) => AnnotationText[];
  readonly print: (annotations: readonly Annotation[]) => string;
}[] = [
  { name: "CSV", parse: parseCsv, print: printCsv },
  { name: "WebVTT", parse: parseWebVtt, print: printWebVtt },
  { name: "WebVTT with titles", parse: parseWebVtt, print: (it) => printWebVtt(it, { titleOf }) },
];

for (const { name, parse, print } of FORMATS) {
  const reparse = (text: string) => parse(text).map((it) => it.annotation);

  describe(name, () => {
    test("gives every annotation back exactly", () => {
      fc.assert(
        fc.property(annotations, (want) => {
          const got = reparse(print(want));
          expect(byId(got)).toEqual(byId(want));
        }),
        { numRuns: 200 },
      );
    });

    test("is written again as it was", () => {
      fc.assert(
        fc.property(annotations, (it) => {
          const text = print(it);
          expect(print(reparse(text))).toBe(text);
        }),
        { numRuns: 150 },
      );
    });

    test("is read with any end of the line and a byte order mark", () => {
      fc.assert(
        fc.property(annotations, fc.constantFrom("\r\n", "\r"), (it, end) => {
          const text = print(it);
          // What a quoted value of CSV holds is no end of a line.
          fc.pre(
            name !== "CSV" ||
              !text
                .slice(0, -1)
                .split("\n")
                .some((line) => line.split('"').length % 2 === 0),
          );
          expect(parse(`\ufeff${text.replaceAll("\n", end)}`)).toEqual(parse(text));
        }),
      );
    });

    test("names the line on which each begins", () => {
      fc.assert(
        fc.property(annotations, (it) => {
          const text = print(it);
          const lines = text.split(/\r\n|\r|\n/);
          for (const { line, annotation } of parse(text)) {
            const first = lines[line - 1] ?? "";
            expect(lines[line - 1]).toBeDefined();
            if (/^(?!NOTE|STYLE)\w+$/.test(annotation.id))
              expect(first.startsWith(annotation.id)).toBe(true);
          }
        }),
      );
    });
  });
}

test("the order of CSV is the one given", () => {
  fc.assert(
    fc.property(annotations, (want) => {
      expect(parseCsv(printCsv(want)).map((it) => it.annotation)).toEqual(want);
    }),
  );
});

function byId(annotations: readonly Annotation[]): Annotation[] {
  return [...annotations].sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
}
