import fc from "fast-check";
import { expect, test } from "vitest";
import { toWords } from "../../../src/domain/content/search.ts";

test("a text of ASCII has the words that it has beside others", () => {
  const ascii = fc.string({ unit: "binary-ascii", maxLength: 40 });
  fc.assert(
    fc.property(ascii, (text) => {
      expect([...toWords(text), "u"]).toEqual(toWords(`${text} Ü`));
    }),
  );
});
