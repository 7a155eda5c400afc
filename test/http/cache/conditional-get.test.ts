import { describe, expect, test } from "vitest";
import { send } from "../../harness/http.ts";
import { connectHttp2, requestHttp2 } from "../../harness/http2.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const LIST = "/svc.cda.cms.event.v1.EventService/ListEvents";
const GET = `${LIST}?encoding=json&message=${encodeURIComponent('{"pageSize":"5"}')}`;

const marquee = await useMarquee();

const get = (headers: Record<string, string> = {}, token = marquee.keys.public) =>
  send("GET", marquee.url + GET, { token, headers });

describe("a read by a public key", () => {
  test("may be kept by anybody, by key and encoding", async () => {
    const { headers } = await get();
    expect(headers.get("cache-control")).toMatch(
      /^public, s-maxage=\d+, stale-while-revalidate=\d+$/,
    );
    expect(headers.get("vary")).toBe("Authorization, Accept-Encoding");
  });

  test("carries nothing of the one request that it was made for, cold, hot and as a 304", async () => {
    const origin = { origin: "https://fans.example", "x-request-id": "theirs-1" };
    const { etag = "" } = Object.fromEntries((await get()).headers);
    const session = await connectHttp2(marquee.url);
    for (const headers of [{}, origin, { ...origin, "if-none-match": etag }]) {
      const cold = `${GET}&n=${Math.random()}`;
      for (const path of [cold, cold, GET]) {
        const token = { token: marquee.keys.public };
        const over1 = await send("GET", marquee.url + path, { ...token, headers });
        const authorization = `Bearer ${marquee.keys.public}`;
        const over2 = await requestHttp2(session, { ":path": path, authorization, ...headers });
        for (const got of [Object.fromEntries(over1.headers), over2.headers]) {
          expect(got["x-request-id"]).toBeUndefined();
          expect(got.vary).toBe("Authorization, Accept-Encoding");
          expect(got["access-control-allow-origin"]).toBe("*");
        }
      }
    }
    session.close();
  });

  test("carries the request's id where nobody else gets it", async () => {
    const headers = { "x-request-id": "mine-1" };
    const preview = await get(headers, marquee.keys.preview);
    const broken = await get(headers, "mqp_nobody");
    const post = await send("POST", marquee.url + LIST, {
      token: marquee.keys.public,
      headers: { ...headers, "connect-protocol-version": "1" },
      body: {},
    });
    for (const got of [preview, broken, post]) {
      expect(got.headers.get("x-request-id")).toBe("mine-1");
    }
  });

  for (const [name, toHeader] of [
    ["the tag", (tag: string) => tag],
    ["the weak form of the tag", (tag: string) => `W/${tag}`],
    ["a list with the tag", (tag: string) => `"other", ${tag}`],
    ["*", () => "*"],
  ] as const) {
    test(`is 304 without a body for If-None-Match with ${name}, also with no-cache`, async () => {
      const tag = (await get()).headers.get("etag") ?? "";
      const headers = { "if-none-match": toHeader(tag), "cache-control": "no-cache" };
      const got = await get(headers);
      expect([got.status, got.text]).toEqual([304, ""]);
      expect(got.headers.get("etag")).toBe(tag);
      expect(got.headers.get("cache-control")).toMatch(/^public/);
      expect(got.headers.get("content-encoding")).toBeNull();
    });
  }

  test("is sent whole for another tag", async () => {
    const got = await get({ "if-none-match": '"other"' });
    expect([got.status, got.json.events.length]).toEqual([200, 5]);
  });

  test("by POST has the tag and is never 304", async () => {
    const post = (headers: Record<string, string>) =>
      send("POST", marquee.url + LIST, {
        token: marquee.keys.public,
        headers: { "connect-protocol-version": "1", ...headers },
        body: { pageSize: 5 },
      });
    const tag = (await post({})).headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[^"]+"$/);
    expect((await post({ "if-none-match": tag })).status).toBe(200);
  });
});

test("a read by a preview key is kept by nobody", async () => {
  const { headers } = await get({}, marquee.keys.preview);
  expect([headers.get("cache-control"), headers.get("vary")]).toEqual(["private, no-store", null]);
});

test("an exchanged token is kept by nobody", async () => {
  const vendorIdToken = await marquee.identityProvider.sign({
    subject: "viewer-1",
    audience: "marquee-demo",
    issueTime: new Date(),
    expireTime: new Date(Date.now() + 60_000),
  });
  const got = await send("POST", `${marquee.url}/svc.cda.iam.auth.v1.AuthService/ExchangeToken`, {
    token: marquee.keys.public,
    headers: { "connect-protocol-version": "1" },
    body: { vendorIdToken },
  });
  expect([got.status, got.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
  expect(got.headers.get("etag")).toBeNull();
});

test("an error is kept by nobody and has no tag", async () => {
  const got = await get({}, "mqp_unknown");
  expect([got.status, got.headers.get("cache-control")]).toEqual([401, "no-store"]);
  expect(got.headers.get("etag")).toBeNull();
});

test("a response of the Studio API is the account's own", async () => {
  const url = `${marquee.url}/annotations/types/v1/type-goal/action_configuration`;
  const got = await send("GET", url, { token: marquee.tokens.owner });
  expect(got.headers.get("cache-control")).toBe("private, no-cache");
});
