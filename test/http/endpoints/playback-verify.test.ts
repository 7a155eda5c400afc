import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askHttp2 } from "../../harness/ask.ts";
import { openCases } from "../../harness/cases.ts";
import { type HttpResponse, reasonOf, send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { type PlaybackService, startPlaybackService } from "../../playback/playback-service.ts";

const each = openCases("endpoints/playback-verify");

const VERIFY = "/playback/v1/verify";
const SEGMENT = "/alpha/bound/720p/segment-1.ts";
const VIEWER = { "x-forwarded-for": "192.0.2.1" };

let service: PlaybackService;
let playlistUrl: string;
let token: string;
/** A token that ends before any other. */
let ended: string;
beforeAll(async () => {
  service = await startPlaybackService();
  const sign = async () => {
    const message = { videoId: "video-bound", sessionKey: "session-1" };
    const { json } = await service.call("AuthorizePlayback", message);
    return json.playlistUrl as string;
  };
  const tokenOf = (url: string) => URL.parse(url)?.searchParams.get("playback_token") ?? "";
  ended = tokenOf(await sign());
  service.pass(6 * 3_600_000);
  playlistUrl = await sign();
  token = tokenOf(playlistUrl);
});
afterAll(() => service.close());

const OF_ALPHA = "?project_id=alpha";
const verify = (headers: Readonly<Record<string, string>>, query = OF_ALPHA) =>
  send("GET", service.url + VERIFY + query, { headers: { ...VIEWER, ...headers } });
const withToken = (path: string) => `${path}?playback_token=${token}`;

/** Fills the tokens into a text of a table. */
const fill = (text: string) =>
  text
    .replaceAll("{playlist}", playlistUrl)
    .replaceAll("{token}", token)
    .replaceAll("{escaped}", token.replace(".", "%2E"))
    .replaceAll("{ended}", ended);
const ask = (headers: Readonly<Record<string, string>>, query = OF_ALPHA) =>
  verify(
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
    fill(query),
  );
const headersOf = (got: HttpResponse, ...names: string[]) => names.map((it) => got.headers.get(it));

each<[string, Record<string, string>, string?]>(
  "an edge server gets 204",
  async (_what, headers, query) => {
    const got = await ask(headers, query);
    expect([got.status, got.text]).toEqual([204, ""]);
    expect(headersOf(got, "marquee-session", "marquee-reason", "cache-control")).toEqual([
      ...["session-1", null, "no-store"],
    ]);
  },
);

each<[string, Record<string, string>, string, string?]>(
  "an edge server gets 403",
  async (_what, headers, reason, query) => {
    const got = await ask(headers, query);
    expect([got.status, reasonOf(got), got.json.code]).toEqual([403, reason, 7]);
    expect(headersOf(got, "marquee-reason", "cache-control", "set-cookie")).toEqual([
      ...[reason, "no-store", null],
    ]);
  },
);

describe("an edge server gets 204", () => {
  test("over HTTP/2 and to HEAD", async () => {
    const got = await askHttp2(service.url, {
      ":path": VERIFY + OF_ALPHA,
      ...VIEWER,
      "x-original-uri": withToken(SEGMENT),
    });
    expect(got.status).toBe(204);
    const headers = { ...VIEWER, "x-original-uri": withToken(SEGMENT) };
    expect((await send("HEAD", service.url + VERIFY + OF_ALPHA, { headers })).status).toBe(204);
  });
});

describe("the cookie of the folder", () => {
  const common = () => `playback_token=${token}; Path=/alpha/bound/; Max-Age=21600; HttpOnly`;
  const away = "Secure; SameSite=None; Partitioned";
  test("is set when the token came in the query, as browsers want it on the web", async () => {
    for (const uri of [playlistUrl, withToken(SEGMENT)]) {
      const { headers } = await verify({ "x-original-uri": uri });
      expect(headers.get("set-cookie")).toBe(`${common()}; ${away}`);
    }
  });
  test("and as they want it without TLS", async () => {
    const uri = playlistUrl.replace("https:", "http:");
    const { headers } = await verify({ "x-original-uri": uri });
    expect(headers.get("set-cookie")).toBe(`${common()}; SameSite=Lax`);
  });
  test("is not set again", async () => {
    const cookie = `playback_token=${token}`;
    for (const uri of [SEGMENT, withToken(SEGMENT)]) {
      const { headers } = await verify({ "x-original-uri": uri, cookie });
      expect(headers.get("set-cookie")).toBeNull();
    }
  });
  test("is renewed by a query that is newer", async () => {
    const cookie = `playback_token=${ended}`;
    const { headers } = await verify({ "x-original-uri": withToken(SEGMENT), cookie });
    expect(headers.get("set-cookie")).toBe(`${common()}; ${away}`);
  });
});

test("the question is a GET, on the listener of delivery alone", async () => {
  const got = await send("POST", service.url + VERIFY, { body: {} });
  expect([got.status, got.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const address = { host: "127.0.0.1", port: 0 };
  const split = await startOver(service.store, {
    ...{ clock: () => service.now(), studioListen: address, deliveryListen: address },
  });
  expect((await send("GET", split.studioUrl + VERIFY)).status).toBe(404);
  expect((await send("GET", split.deliveryUrl + VERIFY)).status).toBe(403);
  await split.close(1_000);
});

test("the question needs no database", async () => {
  const other = await startPlaybackService();
  await other.store.close();
  const got = await send("GET", other.url + VERIFY + OF_ALPHA, {
    headers: { "x-original-uri": SEGMENT },
  });
  expect(got.headers.get("marquee-reason")).toBe("TOKEN_MISSING");
  await other.close().catch(() => {});
});
