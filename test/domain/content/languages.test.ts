import { describe, expect, test } from "vitest";
import { checkLanguages } from "../../../src/domain/content/languages.ts";
import { parseOrder } from "../../../src/domain/content/order.ts";
import { rejection } from "../../harness/rejection.ts";

const LONGEST = "en-abcdefgh-abcdefgh-abcdefgh-abcde";

describe("a language of a text", () => {
  test.each(["en", "de", "pt-BR", "zh-Hans-CN", "x-klingon", "es-419", LONGEST])(
    "may be %s, and lists can be ordered by its title",
    (language) => {
      expect(() => checkLanguages({ [language]: "" }, "page.title")).not.toThrow();
      expect(() => parseOrder(`title.${language} asc`, undefined, "order")).not.toThrow();
    },
  );

  test.each(["", "e n", "en_US", "en-", "-en", "en--US", "4u", "enenenene", "ä", `${LONGEST}f`])(
    "is not '%s'",
    (language) => {
      expect(() => checkLanguages({ en: "", [language]: "" }, "page.title")).toThrow(
        rejection("LANGUAGE_INVALID", "page.title"),
      );
    },
  );
});
