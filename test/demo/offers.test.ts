import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";

const { offers } = createDemoDataset();
const own = offers.filter((offer) => offer.projectId === "worldcup");

describe("the offers of the World Cup", () => {
  test("are five to sell, in order, and a draft between the month and the year", () => {
    const got = own
      .toSorted((a, b) => a.position - b.position)
      .map((offer) => [offer.id, offer.visibility]);
    expect(got).toEqual([
      ["offer-day", Visibility.PUBLISHED],
      ["offer-week", Visibility.PUBLISHED],
      ["offer-month", Visibility.PUBLISHED],
      ["offer-season-draft", Visibility.HIDDEN],
      ["offer-year", Visibility.PUBLISHED],
      ["offer-final", Visibility.PUBLISHED],
    ]);
  });

  test("open everything, but for the final's", () => {
    for (const { id, opens } of own) {
      expect([opens?.everything, opens?.eventIds]).toEqual(
        id === "offer-final" ? [false, ["match-2026-104"]] : [true, []],
      );
      expect([opens?.videoIds, opens?.creativeWorkIds]).toEqual([[], []]);
    }
  });

  test("say how many streams their buyers may have", () => {
    const got = new Map(own.map((offer) => [offer.id, offer.maxStreams]));
    expect(got).toEqual(
      new Map([
        ["offer-day", 1],
        ["offer-week", 2],
        ["offer-month", 2],
        ["offer-year", 4],
        ["offer-final", 1],
        ["offer-season-draft", 0],
      ]),
    );
  });

  test("have one price a currency, in the order of the currencies", () => {
    for (const { id, prices } of own) {
      const currencies = prices.map((price) => price.amount?.currencyCode);
      expect(currencies).toEqual(["EUR", "USD", "GBP", "JPY", "KWD"]);
      const want = ["eur", "usd", "gbp", "jpy", "kwd"].map((code) => `${id}-${code}`);
      expect(prices.map((price) => price.id)).toEqual(want);
    }
  });
});

test.each([
  ["offer-day-eur", 3n, 990_000_000],
  ["offer-month-usd", 16n, 990_000_000],
  ["offer-year-jpy", 14_800n, 0],
  ["offer-day-kwd", 1n, 375_000_000],
  ["offer-final-kwd", 4n, 499_000_000],
  ["sandbox-offer-day-gbp", 3n, 490_000_000],
])("the price %s is %d units and %d nanos", (id, units, nanos) => {
  const [price] = offers.flatMap((offer) => offer.prices).filter((it) => it.id === id);
  expect([price?.amount?.units, price?.amount?.nanos]).toEqual([units, nanos]);
});

test("each small project has one offer", () => {
  const got = offers.filter((offer) => offer.projectId !== "worldcup").map((offer) => offer.id);
  expect(got).toEqual(["sandbox-offer-day", "elsewhere-offer-day"]);
});
