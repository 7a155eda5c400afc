import { describe, expect, test } from "vitest";
import { checkLanguages } from "../../../src/domain/content/languages.ts";
import { parseOrder } from "../../../src/domain/content/order.ts";

const LONGEST = "en-abcdefgh-abcdefgh-abcdefgh-abcde";

describe("a language of a text", () => {
  for (const language of ["en", "de", "pt-BR", "zh-Hans-CN", "x-klingon", "es-419", LONGEST]) {
    test(`may be ${language}, and lists can be ordered by its title`, () => {
      expect(() => checkLanguages({ [language]: "" }, "page.title")).not.toThrow();
      expect(() => parseOrder(`title.${language} asc`, undefined, "order")).not.toThrow();
    });
  }

  for (const language of [
    "",
    "e n",
    "en_US",
    "en-",
    "-en",
    "en--US",
    "4u",
    "enenenene",
    "ä",
    `${LONGEST}f`,
  ]) {
    test(`is not '${language}'`, () => {
      expect(() => checkLanguages({ en: "", [language]: "" }, "page.title")).toThrow(
        expect.objectContaining({ reason: "LANGUAGE_INVALID", metadata: { field: "page.title" } }),
      );
    });
  }
});
