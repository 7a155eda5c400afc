import { describe, expect, test } from "vitest";
import { openViewerTokens } from "../../../src/auth/viewer-token.ts";
import { type HttpResponse, metadataOf, reasonOf, rejection, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { playCases, toCases } from "../play-cases.ts";
import {
  callStudio,
  createOffer,
  eur,
  type Json,
  listEntitlementIds,
  PRICE,
} from "./monetization.ts";

const marquee = await useMarquee();

await createOffer(marquee, "one");
await createOffer(marquee, "none", { prices: [] });
await createOffer(marquee, "german", { title: { fr: "Le pass", de: "Der Pass" } });
await createOffer(marquee, "yen", {
  prices: [{ ...PRICE, amount: { currency_code: "JPY", units: "333" } }],
});
await createOffer(marquee, "two", { prices: [PRICE, { ...PRICE, id: "p-2", amount: eur(5) }] });

const create = (changes: Json = {}, query = ""): Promise<HttpResponse> =>
  callStudio(marquee, "POST", `transactions/v1?${query}`, {
    project_id: "worldcup",
    user_id: "buyer",
    offer_id: "one",
    ...changes,
  });

test("a purchase is pending, and shows the offer as it was", async () => {
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

test("without English the first language by its code has the title", async () => {
  const { json } = await create({ offer_id: "german" });
  expect(json.transaction.offer_title).toBe("Der Pass");
});

const AMOUNTS = ["msrp", "discountAmount", "subtotalAmount", "vatAmount", "totalAmount"];
const usd = { currency_code: "USD", units: "100", nanos: 0 };
const table = {
  call: "monetization.transaction.v1.TransactionService/CreateTransaction",
  within: "transaction",
  body: (changes: Json) => ({
    transaction: { projectId: "worldcup", userId: "buyer", offerId: "one", ...changes },
  }),
};
const toAmounts = ({ transaction }: Json) =>
  AMOUNTS.map((name) => toEuros((transaction as Json)[name]));
const toEuros = (money: unknown) => {
  const { currencyCode, units = 0, nanos = 0 } = money as Json;
  expect(currencyCode).toBe("EUR");
  return Math.round(Number(units) * 100 + Number(nanos) / 1e7) / 100;
};

playCases(marquee, "what is known of the amounts completes the rest", [
  ...toCases({ ...table, read: toAmounts }, [
    [{ discountPercentage: 33.336 }, [100, 33.34, 66.66, 0, 66.66]],
    [{ totalAmount: eur(119) }, [100, 0, 100, 19, 119]],
    [{ totalAmount: eur(95.2), vatAmount: eur(15.2) }, [100, 20, 80, 15.2, 95.2]],
    [{ offerId: "two", offerPriceId: "p-2" }, [5, 0, 5, 0, 5]],
  ]),
  ...toCases({ ...table, read: ({ transaction }) => (transaction as Json).discountAmount }, [
    [
      { offerId: "yen", discountPercentage: 10 },
      { currencyCode: "JPY", units: "33" },
    ],
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
    [{ vatAmount: usd }, "AMOUNT_INVALID vat_amount.currency_code"],
    [{ vatAmount: { ...eur(1), nanos: 1e9 } }, "AMOUNT_INVALID vat_amount.nanos"],
    [{ subtotalAmount: eur(100.01) }, "AMOUNT_INVALID subtotal_amount"],
    [{ vatAmount: eur(2), totalAmount: eur(103) }, "AMOUNT_INVALID total_amount"],
    [{ vatAmount: eur(2), totalAmount: eur(1) }, "AMOUNT_INVALID total_amount"],
    [{ discountAmount: eur(101) }, "AMOUNT_INVALID discount_amount"],
    [{ discountAmount: eur(10), subtotalAmount: eur(91) }, "AMOUNT_INVALID subtotal_amount"],
    [
      { vatAmount: eur(10), subtotalAmount: eur(100), totalAmount: eur(111) },
      "AMOUNT_INVALID total_amount",
    ],
    [{ totalAmount: eur(99) }, "AMOUNT_INVALID total_amount"],
    [{ discountAmount: eur(10), discountPercentage: 11 }, "AMOUNT_INVALID discount_percentage"],
    [{ discountPercentage: 100.1 }, "VALUE_OUT_OF_RANGE discount_percentage"],
  ]),
);

test("a billing id is a project's own, and found by the list", async () => {
  const made = await create({}, "billing_transaction_id=bill-x");
  const again = await create({}, "billing_transaction_id=bill-x");
  expect(rejection(again)).toEqual([409, "ALREADY_EXISTS"]);
  expect(metadataOf(again)).toMatchObject({ transaction_id: made.json.transaction.id });
  const filter = encodeURIComponent('billing_transaction_id: "bill-x"');
  const list = await callStudio(marquee, "GET", `transactions/v1?filter=${filter}`);
  expect(list.json.transactions).toEqual([made.json.transaction]);
  const sandbox = await create(
    { project_id: "sandbox", offer_id: "sandbox-offer-day", offer_price_id: "" },
    "billing_transaction_id=bill-x",
  );
  expect(reasonOf(sandbox)).toBe("FIELD_REQUIRED");
  for (let count = 0; count < 2; count += 1) expect((await create()).status).toBe(200);
});

test("16 purchases of one billing id at once: one is made", async () => {
  const responses = await Promise.all(
    Array.from({ length: 16 }, () => create({}, "billing_transaction_id=bill-race")),
  );
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: 15 }, () => 409)]);
});

await createOffer(marquee, "states");

async function buy(id: string): Promise<void> {
  const body = { project_id: "worldcup", user_id: `user-${id}`, offer_id: "states" };
  const got = await callStudio(marquee, "POST", `transactions/v1?transaction_id=${id}`, body);
  expect(got.status).toBe(200);
}
const move = (id: string, verb: string, headers = {}, body = {}): Promise<HttpResponse> =>
  callStudio(marquee, "POST", `transactions/v1/${id}:${verb}`, body, headers);
const statusOf = async (id: string): Promise<string> =>
  (await callStudio(marquee, "GET", `transactions/v1/${id}`)).json.transaction.status;

describe("a state leads to some others", () => {
  test.each([
    [["capture"], "capture", undefined],
    [["cancel"], "cancel", undefined],
    [["capture", "refund"], "refund", undefined],
    [[], "refund", "PENDING"],
    [["capture"], "cancel", "CAPTURED"],
    [["cancel"], "capture", "CANCELLED"],
  ])("after %j %s leaves it as it is, or is forbidden: %s", async (before, verb, from) => {
    const id = ["s", ...before, verb].join("-");
    await buy(id);
    for (const step of before) expect((await move(id, step)).status).toBe(200);
    const current = await callStudio(marquee, "GET", `transactions/v1/${id}`);
    const got = await move(id, verb);
    if (from === undefined) {
      expect(got.json).toEqual(current.json);
      expect(got.headers.get("etag")).toBe(current.headers.get("etag"));
    } else {
      expect(rejection(got)).toEqual([400, "TRANSACTION_STATE_FORBIDS"]);
      expect(metadataOf(got)).toMatchObject({ from: `TRANSACTION_STATUS_${from}` });
      expect(metadataOf(got)?.to).toMatch(/^TRANSACTION_STATUS_/);
      expect(await statusOf(id)).toBe(`TRANSACTION_STATUS_${from}`);
    }
  });
});

test("a capture gives an entitlement, and a refund takes it, for playback and viewer at once", async () => {
  await buy("seen");
  const viewerTokens = await openViewerTokens(marquee.store, new Date());
  const viewer = { projectId: "worldcup", userId: "user-seen" };
  const token = await viewerTokens.sign(viewer, new Date(), new Date(Date.now() + 60_000));
  const call = (method: string, body: object) =>
    send("POST", `${marquee.url}/svc.cda.${method}`, {
      token: marquee.keys.public,
      headers: { "connect-protocol-version": "1", cookie: `viewer_token=${token}` },
      body,
    });
  const see = async () => {
    const video = { videoId: "video-match-2022-63", sessionKey: "s" };
    const playback = await call("streaming.playback.v1.PlaybackService/AuthorizePlayback", video);
    const list = await call("monetization.entitlement.v1.EntitlementService/ListEntitlements", {});
    const ids = (list.json.entitlements ?? []).map(({ id }: { id: string }) => id);
    return [playback.status === 200 ? "plays" : reasonOf(playback), ids];
  };
  expect(await see()).toEqual(["ENTITLEMENT_REQUIRED", []]);
  const captured = await move("seen", "capture");
  expect(captured.json.transaction.capture_time).toBeDefined();
  expect(await see()).toEqual(["plays", ["seen"]]);
  const refunded = await move("seen", "refund");
  expect(refunded.json.transaction.capture_time).toBe(captured.json.transaction.capture_time);
  expect(await see()).toEqual(["ENTITLEMENT_REQUIRED", []]);
});

test("of capture and cancel at once exactly one wins", async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = `race-${round}`;
    await buy(id);
    const verbs = round % 2 === 0 ? ["capture", "cancel"] : ["cancel", "capture"];
    const responses = await Promise.all(verbs.map((verb) => move(id, verb)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    const [won] = responses.filter(({ status }) => status === 200);
    const status = await statusOf(id);
    expect(won?.json.transaction.status).toBe(status);
    const given = await listEntitlementIds(marquee, `user-${id}`);
    expect(given).toEqual(status === "TRANSACTION_STATUS_CAPTURED" ? [id] : []);
  }
});

test("the revenue of the list follows", async () => {
  const sum = async () => {
    const path = "transactions/v1?project_id=worldcup&include_summary=true&page_size=1";
    const { json } = await callStudio(marquee, "GET", path);
    return Number(json.summary.total_revenue_by_currency.EUR.units);
  };
  await buy("revenue");
  const before = await sum();
  await move("revenue", "capture");
  expect(await sum()).toBe(before + 100);
  await move("revenue", "refund");
  expect(await sum()).toBe(before);
});
