import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createIdentityVerifier } from "../../src/auth/identity-token.ts";
import { Code } from "../../src/domain/base/errors.ts";
import { createResolveName } from "../../src/network/resolve-name.ts";
import { startNameServer } from "../harness/name-server.ts";
import { type KeyServer, startKeyServer } from "./key-server.ts";

const UNREACHABLE = { code: Code.UNAVAILABLE, reason: "ISSUER_UNREACHABLE" };
const FORGED = { code: Code.UNAUTHENTICATED, reason: "SIGNATURE_INVALID" };
const NOW = new Date("2026-06-01T12:00:00Z");

let server: KeyServer;

beforeEach(async () => {
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
  server = await startKeyServer();
  await server.addKey("a");
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

const sign = (kid: string) =>
  server.sign(kid, {
    iss: server.issuer,
    sub: "u",
    aud: "web",
    exp: NOW.getTime() / 1_000 + 7_200,
  });
/** Sets the clock of the cache. */
const advance = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

describe("the keys of a provider", () => {
  test("are fetched once for many tokens", async () => {
    const { verify } = createIdentityVerifier([server]);
    const tokens = await Promise.all(Array.from({ length: 30 }, () => sign("a")));
    await Promise.all(tokens.map((token) => verify(token, ["web"], NOW)));
    for (const token of tokens) await verify(token, ["web"], NOW);
    expect(server.fetches()).toBe(1);
  });

  test("are not fetched for what is rejected without them", async () => {
    const { verify } = createIdentityVerifier([server]);
    const foreign = await server.sign("a", { iss: "https://other.example", sub: "u", aud: "web" });
    const none = `${btoa('{"alg":"none"}')}.${(await sign("a")).split(".")[1]}.`;
    for (const token of ["x", foreign, none]) {
      await expect(verify(token, ["web"], NOW)).rejects.toMatchObject({
        code: Code.UNAUTHENTICATED,
      });
    }
    expect(server.fetches()).toBe(0);
  });

  test("are fetched again for an unknown id, but not at once and not for each token", async () => {
    const { verify } = createIdentityVerifier([server]);
    await verify(await sign("a"), ["web"], NOW);
    await server.addKey("b");
    const token = await sign("b");
    for (let round = 0; round < 20; round += 1) {
      await expect(verify(token, ["web"], NOW)).rejects.toMatchObject(FORGED);
    }
    expect(server.fetches()).toBe(1);
    advance(31);
    await Promise.all(Array.from({ length: 20 }, () => verify(token, ["web"], NOW)));
    expect(server.fetches()).toBe(2);
  });

  test("are fetched at a bounded rate for ids that nobody has", async () => {
    const { verify } = createIdentityVerifier([server]);
    await server.addKey("ghost");
    server.removeKey("ghost");
    const token = await sign("ghost");
    for (let second = 0; second < 120; second += 1) {
      await expect(verify(token, ["web"], NOW)).rejects.toMatchObject(FORGED);
      advance(1);
    }
    // The first look-up may fetch twice: to have keys, and to look for this one.
    expect(server.fetches()).toBeGreaterThanOrEqual(4);
    expect(server.fetches()).toBeLessThanOrEqual(6);
  });

  test("that were taken back count no longer than the cache lasts", async () => {
    const { verify } = createIdentityVerifier([server]);
    const token = await sign("a");
    await verify(token, ["web"], NOW);
    server.removeKey("a");
    advance(590);
    await verify(token, ["web"], NOW);
    advance(20);
    await expect(verify(token, ["web"], NOW)).rejects.toMatchObject(FORGED);
  });

  test("are fetched again after the clock is set back", async () => {
    const { verify } = createIdentityVerifier([server]);
    const old = await sign("a");
    await verify(old, ["web"], NOW);
    server.removeKey("a");
    await server.addKey("b");
    advance(-3_600);
    await verify(await sign("b"), ["web"], NOW);
    await expect(verify(old, ["web"], NOW)).rejects.toMatchObject(FORGED);
    expect(server.fetches()).toBe(2);
  });

  test("of one provider do not count for another's tokens", async () => {
    const other = await startKeyServer();
    await other.addKey("a");
    const { verify } = createIdentityVerifier([server, other]);
    const token = await other.sign("a", { iss: server.issuer, sub: "u", aud: "web", exp: 9e9 });
    await expect(verify(token, ["web"], NOW)).rejects.toMatchObject(FORGED);
    expect(other.fetches()).toBe(0);
    await other.close();
  });
});

describe("a provider whose keys cannot be had is UNAVAILABLE", () => {
  test.each<[string, number, string]>([
    ["an error", 500, "{}"],
    ["nothing there", 404, ""],
    ["no JSON", 200, "<html>"],
    ["no key set", 200, '{"a": 1}'],
    ["a list in the place of a set", 200, "[]"],
  ])("with %s", async (_name, status, body) => {
    server.respond(status, body);
    const { verify } = createIdentityVerifier([server]);
    const error = verify(await sign("a"), ["web"], NOW);
    await expect(error).rejects.toMatchObject(UNREACHABLE);
    await expect(error).rejects.not.toMatchObject({
      message: expect.stringContaining(server.jwksUrl),
    });
  });

  test("when it is down, and not any more when it is back", async () => {
    const token = await sign("a");
    const down = createIdentityVerifier([
      { issuer: server.issuer, jwksUrl: "http://127.0.0.1:1/keys" },
    ]);
    await expect(down.verify(token, ["web"], NOW)).rejects.toMatchObject(UNREACHABLE);

    const { verify } = createIdentityVerifier([server]);
    server.respond(503, "");
    await expect(verify(token, ["web"], NOW)).rejects.toMatchObject(UNREACHABLE);
    server.serveKeys();
    expect((await verify(token, ["web"], NOW)).userId).toBe("u");
  });

  test.each([
    ["10 seconds", 2],
    ["10 seconds, or until the clock is set back", -3_600],
  ])(
    "when its name is not resolved in time, and is not asked for again for %s",
    async (_, later) => {
      let isSlow = true;
      const names = await startNameServer(() =>
        isSlow ? "swallow" : { addresses: ["127.0.0.1"] },
      );
      const resolve = createResolveName({ servers: [names.address], resolverFile: "", limit: 200 });
      let asked = 0;
      const { issuer, jwksUrl } = server;
      const url = jwksUrl.replace("127.0.0.1", "idp.example");
      const { verify } = createIdentityVerifier([{ issuer, jwksUrl: url }], (name, signal) => {
        asked += 1;
        return resolve(name, signal);
      });
      const token = await sign("a");
      const attempts = Array.from({ length: 30 }, () => verify(token, ["web"], NOW));
      for (const it of await Promise.allSettled(attempts)) {
        expect(it).toMatchObject({ status: "rejected", reason: UNREACHABLE });
      }
      expect([asked, [...names.asked]]).toEqual([1, ["idp.example"]]);
      isSlow = false;
      for (const seconds of [0, 9]) {
        advance(seconds);
        await expect(verify(token, ["web"], NOW)).rejects.toMatchObject(UNREACHABLE);
      }
      expect([asked, server.fetches()]).toEqual([1, 0]);
      advance(later);
      expect((await verify(token, ["web"], NOW)).userId).toBe("u");
      expect([asked, server.fetches()]).toEqual([2, 1]);
      names.close();
    },
  );

  test("an empty key set is a signature that does not hold", async () => {
    server.respond(200, '{"keys": []}');
    const { verify } = createIdentityVerifier([server]);
    await expect(verify(await sign("a"), ["web"], NOW)).rejects.toMatchObject(FORGED);
  });
});
