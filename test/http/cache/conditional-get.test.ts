import { describe, expect, test } from "vitest";
import { send } from "../../harness/http.ts";
import { connectHttp2, requestHttp2 } from "../../harness/http2.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const LIST = "/svc.cda.cms.event.v1.EventService/ListEvents";
const GET = `${LIST}?encoding=json&message=${encodeURIComponent('{"pageSize":"5"}')}`;

const marquee = await useMarquee();

// What caches may keep of each read, test/api/delivery-methods.test.ts tries.
const get = (headers: Record<string, string> = {}, token = marquee.keys.public) =>
  send("GET", marquee.url + GET, { token, headers });

describe("a read by a public key", () => {
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
