import type { HttpResponse } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { callRest } from "../studio.ts";

/** The body of a request. */
export type Json = Readonly<Record<string, unknown>>;

/** An amount in euros and cents. */
export const eur = (euros: number) => ({
  currency_code: "EUR",
  units: String(Math.floor(euros)),
  nanos: Math.round((euros % 1) * 100) * 10_000_000,
});

/** A price of 100 EUR a month. */
export const PRICE = {
  id: "p-eur",
  amount: eur(100),
  billing_period: "BILLING_PERIOD_MONTH",
  access_period: "ACCESS_PERIOD_MONTH",
};

/** Calls a method of monetization in studio, as the owner. */
export function callStudio(
  marquee: Marquee,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  return callRest(marquee, method, `monetization/${path}`, body, headers);
}

/** Creates an offer of `worldcup` that opens everything for 100 EUR a month. */
export async function createOffer(marquee: Marquee, id: string, changes: Json = {}): Promise<void> {
  const offer = {
    project_id: "worldcup",
    name: "pass",
    title: { de: "Pass", en: "The pass" },
    prices: [PRICE],
    opens: { everything: true },
    max_streams: 2,
    ...changes,
  };
  const got = await callStudio(marquee, "POST", `offers/v1?offer_id=${id}`, offer);
  if (got.status !== 200) throw new Error(got.text);
}

/** Lists the ids of a user's entitlements in `worldcup`, as studio sees them. */
export async function listEntitlementIds(marquee: Marquee, userId: string): Promise<string[]> {
  const filter = encodeURIComponent(`user_id: "${userId}"`);
  const got = await callStudio(
    marquee,
    "GET",
    `entitlements/v1?project_id=worldcup&filter=${filter}`,
  );
  return got.json.entitlements.map(({ id }: { id: string }) => id);
}
