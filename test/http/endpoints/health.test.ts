import { createLocalJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Server } from "../../../src/server.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../../harness/calls.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { override } from "../../harness/override.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { readMetrics } from "./read-metrics.ts";

const marquee = await useMarquee();

describe("endpoints of the service itself", () => {
  const sqlite = { status: "ok", schema: expect.any(Number), primary: true, writable: true };
  for (const [path, response] of [
    ["/healthz", { status: "ok" }],
    ["/readyz", sqlite],
  ] as const) {
    test(`${path} responds, also with a query, and is never cached`, async () => {
      for (const url of [path, `${path}?x=1`]) {
        const got = await send("GET", marquee.url + url);
        expect(got.status).toBe(200);
        expect(got.json).toEqual(response);
        expect(got.headers.get("cache-control")).toBe("no-store");
      }
    });

    test(`HEAD ${path} returns the headers alone`, async () => {
      const got = await send("HEAD", marquee.url + path);
      expect(got.status).toBe(200);
      const { text } = await send("GET", marquee.url + path);
      expect(got.headers.get("content-length")).toBe(String(text.length));
      expect(got.text).toBe("");
    });
  }

  test("/readyz is 503 while the database does not respond, /healthz is not", async () => {
    let isAway = false;
    const readiness = async () => {
      if (isAway) throw new Error("secret driver text");
      return { schema: 1, primary: true, writable: true };
    };
    const server = await startOver(override(marquee.store, { readiness }));
    const ready = () => send("GET", `${server.studioUrl}/readyz`);
    expect((await ready()).status).toBe(200);
    isAway = true;
    const got = await ready();
    expect(got.status).toBe(503);
    expect(got.json).toMatchObject({ code: 14 });
    expect(reasonOf(got)).toBe("DATABASE_UNAVAILABLE");
    expect(got.text).not.toContain("secret");
    expect((await send("GET", `${server.studioUrl}/healthz`)).status).toBe(200);
    isAway = false;
    expect((await ready()).status).toBe(200);
    await server.close(1_000);
  });

  test("/readyz stays 200 while the database cannot be written, and says so, as does its metric", async () => {
    const state = { schema: 1, primary: true, writable: false };
    const server = await startOver(override(marquee.store, { readiness: async () => state }));
    const got = await send("GET", `${server.studioUrl}/readyz`);
    expect([got.status, got.json]).toEqual([200, { status: "ok", ...state }]);
    const { text } = await send("GET", `${server.studioUrl}/metrics`);
    expect(readMetrics(text).get("marquee_database_writable")).toBe(0);
    await server.close(1_000);
  });

  test("/readyz is 503 without the primary where only the Studio API is served, because replicas serve the Delivery API", async () => {
    const state = { schema: 1, primary: false, writable: true, replica: "used" } as const;
    const store = override(marquee.store, { readiness: async () => state });
    const server = await startOver(store, { studioListen: LOCAL });
    const got = await send("GET", `${server.deliveryUrl}/readyz`);
    expect([got.status, got.json]).toEqual([200, { status: "ok", ...state }]);
    const rejected = await send("GET", `${server.studioUrl}/readyz`);
    expect([rejected.status, reasonOf(rejected)]).toEqual([503, "DATABASE_UNAVAILABLE"]);
    await server.close(1_000);
  });

  test("jwks.json holds the public key that viewer tokens are signed with, and no private one", async () => {
    const got = await send("GET", `${marquee.url}/.well-known/jwks.json`);
    expect(got.status).toBe(200);
    expect(got.headers.get("cache-control")).toBe("public, max-age=300");
    expect(got.json.keys).toHaveLength(1);
    expect(Object.keys(got.json.keys[0]).sort().join(" ")).toBe("alg crv kid kty use x y");
    const now = new Date();
    const vendorIdToken = await marquee.identityProvider.sign({
      subject: "user-1",
      audience: "marquee-demo",
      issueTime: now,
      expireTime: new Date(now.getTime() + 60_000),
    });
    const exchanged = await send("POST", marquee.url + PROCEDURES.exchangeToken, {
      headers: connectHeaders(marquee.keys.public),
      body: { vendorIdToken },
    });
    expect(exchanged.status).toBe(200);
    const { payload } = await jwtVerify(exchanged.json.token, createLocalJWKSet(got.json));
    expect(payload.sub).toBe("user-1");
  });
});

describe("split listeners", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startOver(marquee.store, { studioListen: LOCAL, deliveryListen: LOCAL });
  });
  afterAll(() => server.close(1_000));

  const transactions = "/monetization/transactions/v1?page_size=1";
  const owner = () => marquee.tokens.owner;
  const key = () => marquee.keys.public;

  test.each<[string, string, () => string]>([
    ["studioUrl", transactions, owner],
    [
      "studioUrl",
      getUrl("/svc.studio.ott.page_component.v1.PageComponentService/BatchGetPageComponents", {
        pageComponentIds: ["banner-home"],
      }),
      owner,
    ],
    ["deliveryUrl", getUrl(PROCEDURES.listEvents, {}), key],
  ])("%s", async (home, path, token) => {
    const away = home === "studioUrl" ? server.deliveryUrl : server.studioUrl;
    const own = home === "studioUrl" ? server.studioUrl : server.deliveryUrl;
    expect(own).not.toBe(away);
    expect((await send("GET", own + path, { token: token() })).status).toBe(200);
    const got = await send("GET", away + path, { token: token() });
    expect(got.status).toBe(404);
    expect(got.json.code).toBe(path.startsWith("/svc") ? "unimplemented" : 5);
    // Nothing shows that the path exists elsewhere.
    expect((await send("DELETE", away + path)).status).toBe(404);
    expect((await send("GET", away + path)).status).toBe(404);
  });

  test.each(["studioUrl", "deliveryUrl"] as const)(
    "%s has health and readiness of its own",
    async (url) => {
      expect((await send("GET", `${server[url]}/healthz`)).status).toBe(200);
      expect((await send("GET", `${server[url]}/readyz`)).status).toBe(200);
    },
  );

  test("with one split off, the other interface stays on the common listener alone", async () => {
    const one = await startOver(marquee.store, { studioListen: LOCAL });
    const get = async (url: string, path: string, token: string) =>
      (await send("GET", url + path, { token })).status;
    const events = getUrl(PROCEDURES.listEvents, {});
    expect(await get(one.studioUrl, transactions, owner())).toBe(200);
    expect(await get(one.deliveryUrl, events, key())).toBe(200);
    expect(await get(one.studioUrl, events, key())).toBe(404);
    expect(await get(one.deliveryUrl, transactions, owner())).toBe(404);
    await one.close(1_000);
  });
});

const LOCAL = { host: "127.0.0.1", port: 0 };
