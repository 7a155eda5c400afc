import { beforeAll, describe, expect, test } from "vitest";
import { getUrl } from "../harness/calls.ts";
import { type HttpAnswer, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

type Json = Readonly<Record<string, unknown>>;

const call = (method: string, path: string, body?: unknown, headers = {}): Promise<HttpAnswer> =>
  send(method, `${marquee.url}/monetization/offers/v1${path}`, {
    token: marquee.tokens.owner,
    headers,
    ...(body !== undefined && { body }),
  });
const PRICE = {
  id: "p-eur",
  amount: { currency_code: "EUR", units: "12", nanos: 990_000_000 },
  billing_period: "BILLING_PERIOD_MONTH",
  access_period: "ACCESS_PERIOD_MONTH",
};
const offer = (changes: Json = {}) => ({ project_id: "worldcup", name: "pass", ...changes });
const price = (changes: Json) => ({ ...PRICE, ...changes });
const amount = (changes: Json) => price({ amount: { ...PRICE.amount, ...changes } });
const violated = ({ json }: HttpAnswer) => json.details[1]?.field_violations?.[0]?.field;

const REFUSED: readonly (readonly [string, Json, string, string])[] = [
  ["a price with a blank id", { prices: [price({ id: " " })] }, "PRICE_INVALID", "prices[0].id"],
  ["two prices of one id", { prices: [PRICE, PRICE] }, "PRICE_INVALID", "prices[1].id"],
  [
    "a currency in lower case",
    { prices: [amount({ currency_code: "eur" })] },
    "PRICE_INVALID",
    "prices[0].amount.currency_code",
  ],
  [
    "a currency of four letters",
    { prices: [amount({ currency_code: "EURO" })] },
    "PRICE_INVALID",
    "prices[0].amount.currency_code",
  ],
  [
    "negative units",
    { prices: [amount({ units: "-1", nanos: 0 })] },
    "PRICE_INVALID",
    "prices[0].amount.units",
  ],
  [
    "negative nanos",
    { prices: [amount({ nanos: -1 })] },
    "PRICE_INVALID",
    "prices[0].amount.nanos",
  ],
  [
    "nanos of a whole unit",
    { prices: [amount({ nanos: 1_000_000_000 })] },
    "PRICE_INVALID",
    "prices[0].amount.nanos",
  ],
  [
    "no billing period",
    { prices: [price({ billing_period: "BILLING_PERIOD_UNSPECIFIED" })] },
    "PRICE_INVALID",
    "prices[0].billing_period",
  ],
  [
    "no access period",
    { prices: [price({ access_period: "ACCESS_PERIOD_UNSPECIFIED" })] },
    "PRICE_INVALID",
    "prices[0].access_period",
  ],
  ["negative streams", { max_streams: -1 }, "VALUE_OUT_OF_RANGE", "max_streams"],
];

describe("what an offer must not be", () => {
  beforeAll(() => call("POST", "?offer_id=sound", offer({ prices: [PRICE] })));

  test.each(REFUSED)("%s", async (_, changes, reason, field) => {
    const made = await call("POST", "", offer(changes));
    const update_mask = Object.keys(changes).join();
    const changed = await call("PATCH", "/sound", {
      offer_id: "sound",
      offer: changes,
      update_mask,
    });
    for (const got of [made, changed]) {
      expect([got.status, reasonOf(got), violated(got)]).toEqual([400, reason, `offer.${field}`]);
    }
  });

  test("a price without an amount", async () => {
    const { amount: _, ...priceless } = PRICE;
    const update = { offer_id: "sound", offer: { prices: [priceless] }, update_mask: "prices" };
    const got = await call("PATCH", "/sound", update);
    expect([reasonOf(got), violated(got)]).toEqual(["PRICE_INVALID", "offer.prices[0].amount"]);
  });
});

test("the list goes by position, and by what is asked for", async () => {
  for (const [id, position] of Object.entries({ "l-3": 903, "l-1": 901, "l-2": 902, "l-0": 902 })) {
    await call("POST", `?offer_id=${id}`, offer({ position }));
  }
  const list = async (query: string) => {
    const filter = encodeURIComponent("position >= 901");
    const got = await call("GET", `?project_id=worldcup&filter=${filter}&${query}`);
    return [got.json.offers.map((it: { id: string }) => it.id), got.json.next_page_token];
  };
  expect(await list("")).toEqual([["l-1", "l-0", "l-2", "l-3"], ""]);
  expect(await list("order=position%20desc")).toEqual([["l-3", "l-0", "l-2", "l-1"], ""]);
  expect(await list("order=id%20asc")).toEqual([["l-0", "l-1", "l-2", "l-3"], ""]);
  const [first, token] = await list("page_size=3");
  expect(first).toEqual(["l-1", "l-0", "l-2"]);
  expect(await list(`page_size=3&page_token=${token}`)).toEqual([["l-3"], ""]);
  expect(reasonOf(await call("GET", "?project_id=worldcup&order=name%20asc"))).toBe(
    "ORDER_INVALID",
  );
});

test("delivery shows a change at once", async () => {
  const url = `${marquee.url}/${getUrl("svc.cda.monetization.offer.v1.OfferService/ListOffers", { pageSize: 100 })}`;
  const shown = async () => {
    const { json } = await send("GET", url, { token: marquee.keys.public });
    return json.offers.find((it: { id: string }) => it.id === "shown")?.position;
  };
  expect(await shown()).toBeUndefined();
  const visibility = "VISIBILITY_PUBLISHED";
  await call("POST", "?offer_id=shown", offer({ visibility, position: 7 }));
  expect(await shown()).toBe(7);
  const change = { offer_id: "shown", offer: { position: 8 }, update_mask: "position" };
  await call("PATCH", "/shown", change);
  expect(await shown()).toBe(8);
  await call("DELETE", "/shown");
  expect(await shown()).toBeUndefined();
});

test("an offer that was bought or given away is not deleted by mistake", async () => {
  await call("POST", "?offer_id=kept", offer({ prices: [PRICE] }));
  const post = (path: string, body: Json) =>
    send("POST", `${marquee.url}/monetization/${path}`, { token: marquee.tokens.owner, body });
  const reference = { project_id: "worldcup", user_id: "u", offer_id: "kept" };
  await post("transactions/v1?transaction_id=kept-t", reference);
  await post("entitlements/v1?entitlement_id=kept-e", reference);
  const refused = await call("DELETE", "/kept");
  expect([refused.status, reasonOf(refused)]).toEqual([400, "STILL_REFERRED_TO"]);
  expect(refused.json.details[0].metadata.referrers).toBe("entitlement/kept-e,transaction/kept-t");
  expect((await call("DELETE", "/kept?force=true")).status).toBe(200);
});
