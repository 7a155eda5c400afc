import { describe, expect, test } from "vitest";
import { openViewerTokens } from "../../../src/auth/viewer-token.ts";
import { connectHeaders, getUrl } from "../../harness/calls.ts";
import { type HttpResponse, rejection, send } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { MIXED, NOW, ORDERED, TIES } from "../../storage/contract/purchases.ts";
import { ALPHA, BETA } from "../../storage/small-dataset.ts";
import { idsOf, readPages } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";

const METHOD = "svc.cda.monetization.entitlement.v1.EntitlementService/ListEntitlements";
const HOUR_MS = 3_600_000;

let now = NOW;
const dataset = { ...MIXED, transactions: [...MIXED.transactions, ...TIES.transactions] };
const marquee = await useSmallMarquee(dataset, { clock: () => now, limits: { cacheMib: 8 } });
const viewerTokens = await openViewerTokens(marquee.store, NOW);
const sign = (userId: string, projectId = ALPHA) =>
  viewerTokens.sign({ projectId, userId }, NOW, new Date(NOW.getTime() + HOUR_MS));
const tokens = {
  many: await sign("user-1"),
  manyOfBeta: await sign("user-1", BETA),
  whole: await sign("whole"),
  nothing: await sign("nobody"),
  beta: await sign("all", BETA),
  all: await sign("all"),
} as const;

/** Where the viewer token lies. */
const PLACES = ["authorization", "cookie"] as const;

for (const place of PLACES) {
  describe(`with the viewer token as ${place}`, () => {
    const list = (message: JsonMessage, viewer: keyof typeof tokens = "many") =>
      call(message, toHeaders(tokens[viewer], place, viewer.toLowerCase().endsWith("beta")));

    test("a viewer sees the own entitlements, the newest first, on pages of every size", async () => {
      for (const pageSize of [1, 3, ORDERED.length, 100]) {
        const pages = await readPages((page) => list(page), "entitlements", pageSize);
        expect(pages.flat()).toEqual(ORDERED);
        expect(pages).toHaveLength(Math.ceil(ORDERED.length / pageSize));
      }
    });

    test("they are given whole, to nobody else, and kept nowhere", async () => {
      const got = await list({}, "whole");
      expect(got.json).toEqual({ entitlements: [WHOLE] });
      const headers = { ...connectHeaders(""), ...toHeaders(tokens.whole, place) };
      const posted = await send("POST", `${marquee.url}/${METHOD}`, { headers, body: {} });
      expect([posted.status, posted.text]).toEqual([200, got.text]);
      expect(got.headers.get("cache-control")).toBe("private, no-store");
      const others = await Promise.all([list({}, "nothing"), list({}, "all"), list({}, "beta")]);
      expect(others.map((it) => idsOf(it, "entitlements"))).toEqual([[], ["t-all"], ["t-beta"]]);
    });

    test("a page token is the viewer's own, in the own project", async () => {
      const { nextPageToken } = (await list({ pageSize: 1 })).json;
      const size = { pageSize: 2, pageToken: nextPageToken };
      expect(idsOf(await list(size), "entitlements")).toEqual(ORDERED.slice(1, 3));
      for (const viewer of ["whole", "manyOfBeta"] as const) {
        expect(rejection(await list(size, viewer))).toEqual([400, "PAGE_TOKEN_INVALID"]);
      }
    });
  });
}

test("a key alone is not enough", async () => {
  for (const key of ["public", "preview"] as const) {
    const got = await call({}, { authorization: `Bearer ${marquee.keys[key]}` });
    expect(rejection(got)).toEqual([401, "AUTHENTICATION_REQUIRED"]);
    expect(got.headers.get("cache-control")).toContain("no-store");
    expect(got.headers.get("www-authenticate")).toBe("Bearer");
  }
});

test("a token that does not hold is rejected", async () => {
  const cases = [
    ["made-up", marquee.keys.public, "TOKEN_MALFORMED"],
    [tokens.beta, marquee.keys.public, "AUDIENCE_NOT_ALLOWED"],
  ] as const;
  for (const [token, key, reason] of cases) {
    const got = await call({}, toCookie(token, key));
    expect(rejection(got)).toEqual([401, reason]);
  }
});

test("an entitlement is not listed before it begins, by the clock of the request", async () => {
  const list = () => call({}, toHeaders(tokens.whole, "cookie"));
  expect(idsOf(await list(), "entitlements")).toEqual(["t-whole"]);
  now = new Date(NOW.getTime() - 601_000);
  expect(idsOf(await list(), "entitlements")).toEqual([]);
  now = NOW;
});

const WHOLE = {
  id: "t-whole",
  projectId: ALPHA,
  userId: "whole",
  offerId: "some",
  opens: { videoIds: ["v-1"], eventIds: ["e-1"], creativeWorkIds: ["c-1"] },
  maxStreams: 2,
  startTime: "2026-07-19T18:50:00.123456Z",
  endTime: "2026-07-20T18:50:00.123456Z",
};

function toHeaders(token: string, place: (typeof PLACES)[number], isBeta = false) {
  if (place === "authorization") return { authorization: `Bearer ${token}` };
  return toCookie(token, marquee.keys[isBeta ? "sandbox" : "public"]);
}

function toCookie(token: string, key: string) {
  return { authorization: `Bearer ${key}`, cookie: `a=b; viewer_token=${token}` };
}

function call(
  message: JsonMessage,
  headers: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  return send("GET", `${marquee.url}/${getUrl(METHOD, message)}`, { headers });
}
