import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../../demo/data/dataset.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery } from "../delivery.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callRest } from "../studio.ts";

const marquee = await useMarquee();
const DEMO = createDemoDataset().offers;

type Json = Readonly<Record<string, unknown>>;

const call = (method: string, path: string, body?: unknown) =>
  callRest(marquee, method, `monetization/offers/v1${path}`, body);
const PRICE = {
  id: "p-eur",
  amount: { currency_code: "EUR", units: "12", nanos: 990_000_000 },
  billing_period: "BILLING_PERIOD_MONTH",
  access_period: "ACCESS_PERIOD_MONTH",
};
const offer = (changes: Json = {}) => ({ project_id: "worldcup", name: "pass", ...changes });
const rejected = (field: string, changes: Json) => [
  [{ prices: [{ ...PRICE, ...changes }] }, `PRICE_INVALID prices[0].${field}`] as const,
];

await call("POST", "?offer_id=sound", offer({ prices: [PRICE] }));
playCases(
  marquee,
  "an offer",
  toWriteCases(
    {
      ...{ service: "monetization.offer.v1.OfferService", noun: "offer", id: "sound" },
      resource: { projectId: "worldcup", name: "pass" },
    },
    [
      [{ prices: [PRICE, PRICE] }, "PRICE_INVALID prices[1].id"],
      ...rejected("id", { id: " " }),
      ...rejected("amount.currency_code", { amount: { ...PRICE.amount, currency_code: "eur" } }),
      ...rejected("amount.units", { amount: { ...PRICE.amount, units: "-1", nanos: 0 } }),
      ...rejected("amount.nanos", { amount: { ...PRICE.amount, nanos: 1e9 } }),
      ...rejected("billing_period", { billing_period: undefined }),
      ...rejected("access_period", { access_period: undefined }),
      ...rejected("amount", { amount: undefined }),
      [{ maxStreams: -1 }, "VALUE_OUT_OF_RANGE max_streams"],
    ],
  ),
  async () => (await call("GET", "/sound")).json,
);

describe("delivery lists offers", () => {
  const DRAFT = "offer-season-draft";
  const METHOD = "svc.cda.monetization.offer.v1.OfferService/ListOffers";
  const idsOf = async (message: Json, key: "preview" | "public" = "public") => {
    const got = await callDelivery(marquee, METHOD, message, key);
    const offers: readonly { id: string }[] = got.json.offers ?? [];
    return [offers.map(({ id }) => id), got.json.nextPageToken] as const;
  };

  test("by their ids, in the order of the list, unlisted ones included", async () => {
    const unlisted = offer({ visibility: "VISIBILITY_UNLISTED", position: 1_000 });
    expect((await call("POST", "?offer_id=unlisted", unlisted)).status).toBe(200);
    const ids = [
      "unlisted",
      "offer-week",
      "none",
      "offer-day",
      "offer-day",
      DRAFT,
      "sandbox-offer-day",
    ];
    expect(await idsOf({ ids })).toEqual([["offer-day", "offer-week", "unlisted"], undefined]);
    const [preview] = await idsOf({ ids }, "preview");
    expect(preview).toEqual(["offer-day", "offer-week", DRAFT, "unlisted"]);
    const [first, pageToken] = await idsOf({ ids, pageSize: 2 });
    expect(first).toEqual(["offer-day", "offer-week"]);
    expect(await idsOf({ ids, pageSize: 2, pageToken })).toEqual([["unlisted"], undefined]);
    const got = await callDelivery(marquee, METHOD, { pageToken });
    expect(got.json.code).toBe("invalid_argument");
  });

  test.each([
    ["public", ["offer-day", "offer-week", "offer-month", "offer-year", "offer-final"]],
    ["preview", ["offer-day", "offer-week", "offer-month", DRAFT, "offer-year", "offer-final"]],
    ["sandbox", ["sandbox-offer-day"]],
  ] as const)("to the %s key by position, those of the demo whole: %j", async (key, want) => {
    const got = await callDelivery(marquee, METHOD, { pageSize: 100 }, key);
    const offers = want.map((id) =>
      create(
        OfferSchema,
        DEMO.find((it) => it.id === id),
      ),
    );
    const isOfDemo = ({ id }: { id: string }) => want.some((it) => it === id);
    expect(got.json.offers.filter(isOfDemo)).toEqual(offers.map((it) => toJson(OfferSchema, it)));
    const isPreview = key === "preview";
    expect(got.headers.get("cache-control")).toMatch(isPreview ? /^private, no-store$/ : /^public/);
    expect(got.text.includes("Season Pass")).toBe(isPreview);
  });
});
