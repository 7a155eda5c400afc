import { expect, test } from "vitest";
import { type HttpAnswer, metadataOf, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { playCases, toCases } from "./cases.ts";
import { callStudio, createOffer, eur, type Json, PRICE } from "./monetization.ts";

const marquee = await useMarquee();
await createOffer(marquee, "one");
await createOffer(marquee, "none", { prices: [] });
await createOffer(marquee, "german", { title: { fr: "Le pass", de: "Der Pass" } });
await createOffer(marquee, "yen", {
  prices: [{ ...PRICE, amount: { currency_code: "JPY", units: "333" } }],
});
await createOffer(marquee, "two", { prices: [PRICE, { ...PRICE, id: "p-2", amount: eur(5) }] });

const create = (changes: Json = {}, query = ""): Promise<HttpAnswer> =>
  callStudio(marquee, "POST", `transactions/v1?${query}`, {
    project_id: "worldcup",
    user_id: "buyer",
    offer_id: "one",
    ...changes,
  });

test("a purchase is pending, and tells of the offer as it was", async () => {
  const made = await create({ subscription_id: "sub-1", is_test: true }, "transaction_id=t-1");
  const want = {
    id: "t-1",
    project_id: "worldcup",
    status: "TRANSACTION_STATUS_PENDING",
    offer_title: "The pass",
    offer_description: "",
    offer_name: "pass",
    offer_price_id: "p-eur",
    billing_period: "BILLING_PERIOD_MONTH",
    access_period: "ACCESS_PERIOD_MONTH",
    msrp: eur(100),
    discount_amount: eur(0),
    subtotal_amount: eur(100),
    vat_amount: eur(0),
    total_amount: eur(100),
    subscription_id: "sub-1",
    is_test: true,
  };
  expect(made.json.transaction).toMatchObject(want);
  expect(made.json.transaction.capture_time).toBeUndefined();

  const change = { offer_id: "one", offer: { name: "renamed" }, update_mask: "name" };
  await callStudio(marquee, "PATCH", "offers/v1/one", change);
  const got = await callStudio(marquee, "GET", "transactions/v1/t-1");
  expect([got.json, got.headers.get("etag")]).toEqual([made.json, made.headers.get("etag")]);
});

test("without English the first language by its code tells the title", async () => {
  const { json } = await create({ offer_id: "german" });
  expect(json.transaction.offer_title).toBe("Der Pass");
});

const AMOUNTS = ["discountAmount", "subtotalAmount", "vatAmount", "totalAmount"] as const;
const usd = { currency_code: "USD", units: "100", nanos: 0 };
const table = {
  call: "monetization.transaction.v1.TransactionService/CreateTransaction",
  within: "transaction",
  body: (changes: Json) => ({
    transaction: { projectId: "worldcup", userId: "buyer", offerId: "one", ...changes },
  }),
};
const completed = (changes: Json, ...[discount, subtotal, vat, total]: [number, ...number[]]) =>
  toCases(
    {
      ...table,
      read: ({ transaction }) => [
        ...["msrp", ...AMOUNTS].map((name) => toEuros((transaction as Json)[name])),
      ],
    },
    [[changes, [100, discount, subtotal, vat, total]]],
  );
const toEuros = (money: unknown) => {
  const { currencyCode, units = 0, nanos = 0 } = money as Json;
  expect(currencyCode).toBe("EUR");
  return Math.round(Number(units) * 100 + Number(nanos) / 1e7) / 100;
};

playCases(marquee, "what is known of the amounts completes the rest", [
  ...completed({ discountAmount: eur(10) }, 10, 90, 0, 90),
  ...completed({ discountPercentage: 12.5 }, 12.5, 87.5, 0, 87.5),
  ...completed({ discountPercentage: 33.336 }, 33.34, 66.66, 0, 66.66),
  ...completed({ discountPercentage: 100 }, 100, 0, 0, 0),
  ...completed({ subtotalAmount: eur(80) }, 20, 80, 0, 80),
  ...completed({ vatAmount: eur(19) }, 0, 100, 19, 119),
  ...completed({ totalAmount: eur(119) }, 0, 100, 19, 119),
  ...completed({ totalAmount: eur(95.2), vatAmount: eur(15.2) }, 20, 80, 15.2, 95.2),
  ...completed(
    { discountAmount: eur(33.33), discountPercentage: 33.333, totalAmount: eur(80) },
    ...([33.33, 66.67, 13.33, 80] as const),
  ),
  ...toCases({ ...table, read: ({ transaction }) => (transaction as Json).discountAmount }, [
    [
      { offerId: "yen", discountPercentage: 10 },
      { currencyCode: "JPY", units: "33" },
    ],
  ]),
  ...toCases({ ...table, read: ({ transaction }) => toEuros((transaction as Json).totalAmount) }, [
    [{ offerId: "two", offerPriceId: "p-2" }, 5],
  ]),
]);

playCases(
  marquee,
  "a purchase",
  toCases(table, [
    [{ offerId: "two" }, "FIELD_REQUIRED offer_price_id"],
    [{ offerId: "two", offerPriceId: "p-3" }, "PRICE_NOT_FOUND offer_price_id"],
    [{ offerId: "none" }, "PRICE_NOT_FOUND offer_price_id"],
    [{ offerId: "gone" }, "OFFER_NOT_FOUND offer_id"],
    [{ offerId: "sandbox-offer-day" }, "OFFER_NOT_FOUND offer_id"],
    [{ billingPeriod: "BILLING_PERIOD_DAY" }, "PERIOD_INVALID billing_period"],
    [{ accessPeriod: "ACCESS_PERIOD_DAY" }, "PERIOD_INVALID access_period"],
    // What the service sets is not taken.
    [{ status: "TRANSACTION_STATUS_CAPTURED" }, "FIELD_OUTPUT_ONLY status"],
    [{ offerTitle: "free" }, "FIELD_OUTPUT_ONLY offer_title"],
    [{ captureTime: "2026-01-01T00:00:00Z" }, "FIELD_OUTPUT_ONLY capture_time"],
    [{ msrp: eur(99) }, "AMOUNT_INVALID msrp"],
    [{ msrp: usd }, "AMOUNT_INVALID msrp.currency_code"],
    [{ vatAmount: usd }, "AMOUNT_INVALID vat_amount.currency_code"],
    [{ vatAmount: { units: "1" } }, "AMOUNT_INVALID vat_amount.currency_code"],
    [{ vatAmount: { currencyCode: "EUR", units: "-1" } }, "AMOUNT_INVALID vat_amount.units"],
    [{ vatAmount: { ...eur(1), nanos: 1e9 } }, "AMOUNT_INVALID vat_amount.nanos"],
    [{ discountAmount: eur(100.01) }, "AMOUNT_INVALID discount_amount"],
    [{ subtotalAmount: eur(100.01) }, "AMOUNT_INVALID discount_amount"],
    [{ discountAmount: eur(10), subtotalAmount: eur(91) }, "AMOUNT_INVALID subtotal_amount"],
    [
      { vatAmount: eur(10), totalAmount: eur(111), subtotalAmount: eur(100) },
      "AMOUNT_INVALID total_amount",
    ],
    [{ totalAmount: eur(99) }, "AMOUNT_INVALID vat_amount"],
    [{ discountAmount: eur(10), discountPercentage: 11 }, "AMOUNT_INVALID discount_percentage"],
    [{ discountPercentage: -0.1 }, "VALUE_OUT_OF_RANGE discount_percentage"],
    [{ discountPercentage: 100.1 }, "VALUE_OUT_OF_RANGE discount_percentage"],
  ]),
);

test("a billing id is a project's own, and found by the list", async () => {
  const made = await create({}, "billing_transaction_id=bill-x");
  const again = await create({}, "billing_transaction_id=bill-x");
  expect([again.status, reasonOf(again)]).toEqual([409, "ALREADY_EXISTS"]);
  expect(metadataOf(again)).toMatchObject({ transaction_id: made.json.transaction.id });
  const list = await callStudio(
    marquee,
    "GET",
    `transactions/v1?filter=${encodeURIComponent('billing_transaction_id: "bill-x"')}`,
  );
  expect(list.json.transactions).toEqual([made.json.transaction]);
  const sandbox = await create(
    { project_id: "sandbox", offer_id: "sandbox-offer-day", offer_price_id: "" },
    "billing_transaction_id=bill-x",
  );
  expect(reasonOf(sandbox)).toBe("FIELD_REQUIRED");
  for (let count = 0; count < 2; count += 1) expect((await create()).status).toBe(200);
});

test("16 purchases of one billing id at once: one is made", async () => {
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => create({}, "billing_transaction_id=bill-race")),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: 15 }, () => 409)]);
});

test("validate_only keeps nothing, and a request id gives the first answer", async () => {
  const tried = await create({}, "transaction_id=tried&validate_only=true");
  expect(tried.json.transaction.id).toBe("tried");
  expect((await callStudio(marquee, "GET", "transactions/v1/tried")).status).toBe(404);
  const [first, second] = [await create({}, "request_id=r-1"), await create({}, "request_id=r-1")];
  expect(second.json).toEqual(first.json);
});
