import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, expectTypeOf, test } from "vitest";
import { type Money, MoneySchema } from "../../gen/google/type/money_pb.ts";
import { date, type Json, price, text } from "../../packages/client/src/index.ts";

describe("date", () => {
  test.each(["2026-07-19T19:00:00.123Z", "1969-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z"])(
    "gives the Date of %s",
    (time) => {
      expect(date(timestampFromDate(new Date(time))).toISOString()).toBe(time);
      expect(date(time).toISOString()).toBe(time);
    },
  );

  test("drops what is below a millisecond, and gives none for none", () => {
    const time = { ...timestampFromDate(new Date(5)), nanos: 5_999_999 };
    expect(date(time).getTime()).toBe(5);
    expect(date(undefined)).toBeUndefined();
  });
});

describe("text", () => {
  const title = { en: "Final", de: "Finale", "zh-Hant": "決賽", "pt-BR": "Decisão", fr: "" };
  test.each<[string | readonly string[], string]>([
    ["de", "Finale"],
    ["DE", "Finale"],
    ["de-AT", "Finale"],
    ["zh-hant-TW", "決賽"],
    [["fr", "de"], "Finale"],
    [["it", "pt-BR", "de"], "Decisão"],
    ["pt", "Final"],
    ["it", "Final"],
    [[], "Final"],
    ["", "Final"],
  ])("for %j is %s", (languages, want) => {
    expect(text(title, languages)).toBe(want);
  });

  test("without English is any, and without texts empty", () => {
    expect(text({ fr: "", de: "Finale" }, "it")).toBe("Finale");
    for (const none of [{}, { en: "" }, undefined]) expect(text(none, "en")).toBe("");
  });
});

describe("price", () => {
  const money = (units: bigint, nanos: number, currencyCode = "EUR") =>
    create(MoneySchema, { units, nanos, currencyCode });

  test.each([
    { given: money(9n, 990_000_000), locale: "de", want: "9,99\u00a0€" },
    { given: money(9n, 990_000_000), locale: "en", want: "€9.99" },
    { given: money(0n, 50_000_000), locale: "en", want: "€0.05" },
    { given: money(0n, -500_000_000), locale: "en", want: "-€0.50" },
    { given: money(-1n, -750_000_000), locale: "en", want: "-€1.75" },
    { given: money(0n, 0), locale: "en", want: "€0.00" },
    { given: money(1500n, 0, "JPY"), locale: "en", want: "¥1,500" },
    {
      given: money(9_007_199_254_740_993n, 10_000_000),
      locale: "en",
      want: "€9,007,199,254,740,993.01",
    },
  ])("is $want in $locale", ({ given, locale, want }) => {
    expect(price(given, locale)).toBe(want);
    const { currencyCode, nanos, units } = given;
    expect(price({ currencyCode, nanos, units: String(units) }, [locale])).toBe(want);
  });

  test("of none is empty", () => {
    expect(price(undefined, "en")).toBe("");
  });
});

test("the JSON of an amount is one", () => {
  expectTypeOf<Json<Money>>().toEqualTypeOf<{
    currencyCode: string;
    units: string;
    nanos: number;
  }>();
});
