import fc from "fast-check";
import { expect, test } from "vitest";
import { Payload } from "../../../src/http/connect/payload.ts";
import { Utf8Writer } from "../../../src/http/connect/utf8-writer.ts";

/** Texts of up to a million characters of one to four bytes. */
const text = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: "grapheme" }) },
  fc
    .tuple(fc.constantFrom("a", "ü", "–", "😀"), fc.constantFrom(255, 256, 4_096, 87_382, 500_000))
    .map(([unit, count]) => unit.repeat(count)),
);

test("texts of any length are written one after the other", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
      const writer = new Utf8Writer();
      for (const each of texts) writer.add(each);
      expect(Buffer.from(writer.take()).equals(Buffer.from(texts.join("")))).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test("what a payload holds stays when something else is written", () => {
  const write = (own: string) => {
    const writer = new Utf8Writer();
    writer.add(own);
    return new Payload(writer.take(), "");
  };
  const first = write("first");
  write("other");
  expect(Buffer.from(first.message).toString()).toBe("first");
});
