import { expect, test } from "vitest";
import { getUrl } from "../../harness/calls.ts";
import { type HttpAnswer, reasonOf, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { playCases, toWriteCases } from "../play-cases.ts";

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

const refused = (reason: string, field: string, ...changes: Json[]) =>
  changes.map((it) => [{ prices: [it] }, `${reason} prices[0].${field}`] as const);

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
      ...refused("PRICE_INVALID", "id", price({ id: " " })),
      ...refused(
        "PRICE_INVALID",
        "amount.currency_code",
        ...["eur", "EURO"].map((currency_code) => amount({ currency_code })),
      ),
      ...refused("PRICE_INVALID", "amount.units", amount({ units: "-1", nanos: 0 })),
      ...refused("PRICE_INVALID", "amount.nanos", amount({ nanos: -1 }), amount({ nanos: 1e9 })),
      ...refused("PRICE_INVALID", "billing_period", price({ billing_period: undefined })),
      ...refused("PRICE_INVALID", "access_period", price({ access_period: undefined })),
      ...refused("PRICE_INVALID", "amount", price({ amount: undefined })),
      [{ maxStreams: -1 }, "VALUE_OUT_OF_RANGE max_streams"],
    ],
  ),
  async () => (await call("GET", "/sound")).json,
);

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
