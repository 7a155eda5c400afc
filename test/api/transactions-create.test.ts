import { describe, expect, test } from "vitest";
import { type HttpAnswer, metadataOf, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callStudio, createOffer, eur, type Json, PRICE, violated } from "./monetization.ts";

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

test("a price is chosen where there are several", async () => {
  const chosen = await create({ offer_id: "two", offer_price_id: "p-2" });
  expect(chosen.json.transaction.total_amount).toEqual(eur(5));
  const refused: readonly (readonly [Json, string, string])[] = [
    [{ offer_id: "two" }, "FIELD_REQUIRED", "offer_price_id"],
    [{ offer_id: "two", offer_price_id: "p-3" }, "PRICE_NOT_FOUND", "offer_price_id"],
    [{ offer_id: "none" }, "PRICE_NOT_FOUND", "offer_price_id"],
    [{ offer_id: "gone" }, "OFFER_NOT_FOUND", "offer_id"],
    [{ offer_id: "sandbox-offer-day" }, "OFFER_NOT_FOUND", "offer_id"],
    [{ billing_period: "BILLING_PERIOD_DAY" }, "PERIOD_INVALID", "billing_period"],
    [{ access_period: "ACCESS_PERIOD_DAY" }, "PERIOD_INVALID", "access_period"],
  ];
  for (const [changes, reason, field] of refused) {
    const got = await create(changes);
    const answer = [got.status, reasonOf(got), violated(got)];
    expect(answer).toEqual([400, reason, `transaction.${field}`]);
  }
});

test("what the service sets is not taken", async () => {
  for (const name of ["status", "offer_title", "capture_time"]) {
    const value = { status: "TRANSACTION_STATUS_CAPTURED", capture_time: "2026-01-01T00:00:00Z" };
    const got = await create({ [name]: value[name as keyof typeof value] ?? "free" });
    const answer = [reasonOf(got), violated(got)];
    expect(answer).toEqual(["FIELD_OUTPUT_ONLY", `transaction.${name}`]);
  }
});

describe("what is known of the amounts completes the rest", () => {
  const cases: readonly (readonly [string, Json, readonly number[]])[] = [
    ["a discount", { discount_amount: eur(10) }, [10, 90, 0, 90]],
    ["a percentage", { discount_percentage: 12.5 }, [12.5, 87.5, 0, 87.5]],
    ["a percentage, rounded", { discount_percentage: 33.336 }, [33.34, 66.66, 0, 66.66]],
    ["all of it", { discount_percentage: 100 }, [100, 0, 0, 0]],
    ["a subtotal", { subtotal_amount: eur(80) }, [20, 80, 0, 80]],
    ["a tax", { vat_amount: eur(19) }, [0, 100, 19, 119]],
    ["a total", { total_amount: eur(119) }, [0, 100, 19, 119]],
    ["total and tax", { total_amount: eur(95.2), vat_amount: eur(15.2) }, [20, 80, 15.2, 95.2]],
    [
      "discount, percentage and total",
      { discount_amount: eur(33.33), discount_percentage: 33.333, total_amount: eur(80) },
      [33.33, 66.67, 13.33, 80],
    ],
  ];
  test.each(cases)("%s", async (_, changes, [discount, subtotal, vat, total]) => {
    const { json } = await create(changes);
    expect(json.transaction).toMatchObject({
      msrp: eur(100),
      discount_amount: eur(discount ?? -1),
      subtotal_amount: eur(subtotal ?? -1),
      vat_amount: eur(vat ?? -1),
      total_amount: eur(total ?? -1),
    });
  });

  test("a percentage of yen is a whole number of them", async () => {
    const { json } = await create({ offer_id: "yen", discount_percentage: 10 });
    expect(json.transaction.discount_amount).toEqual({
      currency_code: "JPY",
      units: "33",
      nanos: 0,
    });
  });
});

describe("what contradicts is refused", () => {
  const usd = { currency_code: "USD", units: "100", nanos: 0 };
  const cases: readonly (readonly [string, Json, string])[] = [
    ["another price", { msrp: eur(99) }, "msrp"],
    ["another currency", { msrp: usd }, "msrp.currency_code"],
    ["another currency of the tax", { vat_amount: usd }, "vat_amount.currency_code"],
    ["no currency", { vat_amount: { units: "1" } }, "vat_amount.currency_code"],
    ["a negative tax", { vat_amount: { currency_code: "EUR", units: "-1" } }, "vat_amount.units"],
    ["nanos too many", { vat_amount: { ...eur(1), nanos: 1e9 } }, "vat_amount.nanos"],
    ["a discount over the price", { discount_amount: eur(100.01) }, "discount_amount"],
    ["a subtotal over the price", { subtotal_amount: eur(100.01) }, "discount_amount"],
    [
      "discount and subtotal",
      { discount_amount: eur(10), subtotal_amount: eur(91) },
      "subtotal_amount",
    ],
    [
      "tax and total",
      { vat_amount: eur(10), total_amount: eur(111), subtotal_amount: eur(100) },
      "total_amount",
    ],
    ["a total below the subtotal", { total_amount: eur(99) }, "vat_amount"],
    [
      "percentage and discount",
      { discount_amount: eur(10), discount_percentage: 11 },
      "discount_percentage",
    ],
  ];
  test.each(cases)("%s", async (_, changes, field) => {
    const got = await create(changes);
    const answer = [got.status, reasonOf(got), violated(got)];
    expect(answer).toEqual([400, "AMOUNT_INVALID", `transaction.${field}`]);
  });

  test.each([-0.1, 100.1])("%d percent", async (discount_percentage) => {
    const got = await create({ discount_percentage });
    expect([reasonOf(got), violated(got)]).toEqual([
      "VALUE_OUT_OF_RANGE",
      "transaction.discount_percentage",
    ]);
  });
});

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

test("Connect makes the same purchase", async () => {
  const service = "svc.studio.monetization.transaction.v1.TransactionService";
  const got = await send("POST", `${marquee.url}/${service}/CreateTransaction`, {
    token: marquee.tokens.owner,
    headers: { "connect-protocol-version": "1" },
    body: {
      transaction: { projectId: "worldcup", userId: "buyer", offerId: "one" },
      transactionId: "t-connect",
    },
  });
  expect(got.json.transaction).toMatchObject({
    id: "t-connect",
    status: "TRANSACTION_STATUS_PENDING",
    totalAmount: { currencyCode: "EUR", units: "100" },
  });
  const rest = await callStudio(marquee, "GET", "transactions/v1/t-connect");
  expect(rest.json.transaction.create_time).toBe(got.json.transaction.createTime);
});
