import { afterAll, expect, test } from "vitest";
import { DemoLink } from "../../demo/demo-link.ts";
import { type Network, parseNetwork } from "../../src/network/ip-address.ts";
import { send } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const link = new DemoLink();
let now = new Date("2026-06-20T12:00:00Z");
const server = await startOver(marquee.store, {
  clock: () => now,
  runsActions: false,
  endpoints: [link.endpoint],
  location: { trustedProxies: [parseNetwork("127.0.0.1") as Network] },
});
afterAll(() => server.close(1_000));

const accessToken = marquee.tokens.owner;

function createCode(): string {
  const url = new URL(link.create(server.studioUrl, accessToken, now) ?? "");
  return url.searchParams.get("open") ?? "";
}

function open(code: string, headers: Readonly<Record<string, string>> = {}) {
  const sent = { "x-demo-code": code, ...headers };
  return send("GET", `${server.studioUrl}/demo/credentials`, { headers: sent });
}

test("the code of the link gets the access token once", async () => {
  const code = createCode();
  const got = await open(code, { "sec-fetch-site": "same-origin" });
  expect([got.status, got.json]).toEqual([200, { accessToken }]);
  expect(got.headers.get("cache-control")).toBe("no-store");
  const again = await open(code);
  expect([again.status, again.text.includes(accessToken)]).toEqual([404, false]);
});

test("the code expires after 15 minutes", async () => {
  for (const [minutes, want] of [
    [14, 200],
    [15, 404],
  ]) {
    const code = createCode();
    now = new Date(now.getTime() + (minutes ?? 0) * 60_000);
    expect([minutes, (await open(code)).status]).toEqual([minutes, want]);
  }
});

test("another code, another name of this machine, another site and another machine get nothing", async () => {
  const code = createCode();
  const other = code.endsWith("A") ? "B" : "A";
  const cases: readonly [string, Record<string, string>][] = [
    [`${code.slice(0, -1)}${other}`, {}],
    ["", {}],
    [code, { host: `rebound.example:${new URL(server.studioUrl).port}` }],
    [code, { host: `127.0.0.1.example` }],
    [code, { "sec-fetch-site": "cross-site" }],
    [code, { "x-forwarded-for": "203.0.113.7" }],
  ];
  for (const [given, headers] of cases) {
    expect([given, headers, (await open(given, headers)).status]).toEqual([given, headers, 404]);
  }
  // None of them has used the code.
  expect((await open(code, { host: "localhost" })).status).toBe(200);
});

test("the code before the last link gets nothing", async () => {
  const code = createCode();
  createCode();
  expect((await open(code)).status).toBe(404);
});

test("there is no link for a server that other machines reach", () => {
  for (const url of ["http://0.0.0.0:8080", "http://marquee.example", "http://192.168.0.2:8080"]) {
    expect(link.create(url, accessToken, now)).toBeUndefined();
  }
  expect(link.create("http://[::1]:8080", accessToken, now)).toMatch(
    /^http:\/\/\[::1\]:8080\/\?open=/,
  );
});
