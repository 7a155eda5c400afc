import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parseTitle,
  printTitle,
  toTitle,
} from "../../../src/transfer/annotation-text/cue-title.ts";

describe("the text of a cue is the title that a player shows", () => {
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
    test(JSON.stringify(payload), () => expect(parseTitle(payload)).toBe(want));
  }

  test("whatever the title", () => {
    const unit = fc.constantFrom(..."&<>;#-ab x\n".split(""), "&amp;", "-->", "<b>");
    fc.assert(
      fc.property(fc.string({ unit }), (title) => {
        const payload = printTitle(title);
        expect(payload).not.toContain("-->");
        expect(parseTitle(payload)).toBe(title);
      }),
    );
  });

  for (const piece of ["<", "<rt", "<rt.", "<rt>", "&", "&#", "<a"]) {
    test(`a million times ${piece} take no time`, () => {
      const start = performance.now();
      parseTitle(piece.repeat(1_000_000));
      expect(performance.now() - start).toBeLessThan(2_000);
    });
  }
});

describe("a label becomes a title", () => {
  const cases: readonly (readonly [label: string, want: string])[] = [
    ["45+2", "45+2"],
    [" a ", "a"],
    ["a\nb", "a\nb"],
    ["a\r\n\n \rb\n", "a\nb"],
    ["a\0b", "ab"],
    ["\n", ""],
  ];
  for (const [label, want] of cases) {
    test(JSON.stringify(label), () => expect(toTitle(label)).toBe(want));
  }
});
