import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findsLonger,
  isFoundBy,
  parseSearch,
  toWords,
} from "../../../src/domain/content/search.ts";
import { listWords } from "../../../src/storage/content/content-rows.ts";

/** Letters that have another case, or fold to others. */
const CASED = /\p{Changes_When_Casemapped}|\p{Changes_When_NFKC_Casefolded}/u;

test("a text of ASCII has the words that it has beside others", () => {
  const ascii = fc.string({ unit: "binary-ascii", maxLength: 40 });
  fc.assert(
    fc.property(ascii, (text) => {
      expect([...toWords(text), "u"]).toEqual(toWords(`${text} Ü`));
    }),
  );
});

describe("case and accents are folded as Unicode folds them:", () => {
  for (const texts of [
    ["Größe", "GRÖSSE", "GRÖẞE", "grosse", "Gro\u0308ße"],
    ["οδός", "ΟΔΌΣ", "ΟΔΟΣ", "οδοσ"],
    ["ﬁnale", "FINALE", "ﬁNALE"],
    ["İstanbul", "istanbul", "ISTANBUL", "ıstanbul"],
    ["ŉdaba", "ʼNDABA"],
    ["ℌamlet", "hamlet", "HAMLET"],
    ["Ꭰꭰ", "ꭰꭰ", "ᎠᎠ"],
    ["ᾳδης", "ΑΙΔΗΣ", "α\u0345δης"],
    ["ǅep", "Ǆep", "ǆEP"],
  ]) {
    test(texts.join(", "), () => {
      const [first = "", ...others] = texts;
      expect(toWords(first)).toHaveLength(1);
      for (const text of others) expect([text, toWords(text)]).toEqual([text, toWords(first)]);
    });
  }

  test("a letter in every case and normal form", () => {
    const different: string[] = [];
    for (let code = 0x80; code <= 0x10ffff; code += 1) {
      const letter = String.fromCodePoint(code);
      if (!CASED.test(letter)) continue;
      // Between others, as a sigma at the end of a word has a form of its own.
      const text = `a${letter}a`;
      const want = toWords(text).join(" ");
      const forms = [text.toUpperCase(), text.toLowerCase(), text.normalize("NFD")];
      // The words of a script without spaces overlap.
      if (!/[\p{Script=Lao}\p{Script=Hira}\p{Script=Kana}\p{Script=Han}]/u.test(want))
        forms.push(want);
      if (forms.some((form) => toWords(form).join(" ") !== want)) different.push(letter);
    }
    expect(different).toEqual([]);
  });
});

test.each([
  ["決勝戦", ["決勝", "勝戦", "戦"], ["決勝", "勝戦"]],
  ["準々決勝", ["準々", "々決", "決勝", "勝"], ["準々", "決勝"]],
  ["W杯2026", ["w", "杯", "2026"], ["w", "杯", "2026"]],
  ["東京・大阪", ["東京", "京", "大阪", "阪"], ["東京", "大阪"]],
  ["ﾌﾞﾗｼﾞﾙ", ["フラ", "ラシ", "シル", "ル"], ["フラ", "シル"]],
  ["𠮷野家", ["𠮷野", "野家", "家"], ["𠮷野", "野家"]],
  ["ฟุตบอล", ["ฟต", "ตบ", "บอ", "อล", "ล"], ["ฟต", "บอ", "อล"]],
  ["ຟ", ["ຟ"], ["ຟ"]],
])("%s has no spaces: two letters each are a word", (text, words, search) => {
  expect(toWords(text)).toEqual(words);
  expect(parseSearch(text, "search")).toEqual(search);
  for (const word of search) expect(isFoundBy(words, word)).toBe(true);
});

test("a search of a script without spaces has as many words as pairs of letters", () => {
  const letters = (count: number) =>
    Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");
  expect(parseSearch(letters(32), "search")).toHaveLength(16);
  expect(() => parseSearch(letters(33), "search")).toThrow("16 words");
});

test.each([
  ["戦", true],
  ["𠮷", true],
  ["決勝", false],
  ["fin", true],
  ["fi", false],
])("%s finds longer words: %s", (word, isLonger) => {
  expect(findsLonger(word)).toBe(isLonger);
  expect(isFoundBy([`${word}家`], word)).toBe(isLonger);
});

test.each(["a", "ü", "𐐨"])("a word has 64 letters at most: %s", (letter) => {
  const folded = toWords(letter).join();
  expect(toWords(letter.repeat(64))).toEqual([folded.repeat(64)]);
  expect(toWords(letter.repeat(65))).toEqual([folded.repeat(64)]);
  expect(parseSearch(`${letter.repeat(65)} ${letter.repeat(66)}`, "search")).toHaveLength(1);
});

test("an item has the first 5,000 distinct words of its title, its description and its fields", () => {
  const words = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `w${from + at}`);
  const title = { en: words(0, 10).join(" "), de: words(0, 20).join(" ") };
  const description = { en: words(0, 4_990).join(" ") };
  expect(listWords({ title, description, fields: { a: words(4_985, 5_000) } })).toEqual(
    words(0, 5_000),
  );
  expect(listWords({ fields: { z: [words(4_990, 5_001)] }, title, description })).toEqual(
    words(0, 5_000),
  );
});
