import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer } from "../../src/server.ts";
import { type HttpAnswer, reasonOf, send } from "../harness/http.ts";
import { connectHttp2, requestHttp2 } from "../harness/http2.ts";
import { silentLog } from "../harness/marquee.ts";
import { type PlaybackService, startPlaybackService } from "../playback/playback-service.ts";

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

function expectRefused(got: HttpAnswer, reason: string) {
  expect([got.status, got.headers.get("marquee-reason"), reasonOf(got)]).toEqual([
    ...[403, reason, reason],
  ]);
  expect(got.json.code).toBe(7);
  expect(got.headers.get("cache-control")).toBe("no-store");
  expect(got.headers.get("set-cookie")).toBeNull();
}

describe("an edge server is answered 204", () => {
  test.each<[what: string, headers: () => Record<string, string>, query?: () => string]>([
    ["to the whole address", () => ({ "x-original-uri": playlistUrl })],
    ["to a path", () => ({ "x-original-uri": withToken("/alpha/bound/playlist.m3u8") })],
    ["to a file below", () => ({ "x-original-uri": withToken(SEGMENT) })],
    ["to another query of it", () => ({ "x-original-uri": `${withToken(SEGMENT)}&bytes=1-2` })],
    ["to an escaped token", () => ({ "x-original-uri": withToken(SEGMENT).replace(".", "%2E") })],
    [
      "to the cookie",
      () => ({ "x-original-uri": SEGMENT, cookie: `a=b; playback_token=${token}` }),
    ],
    [
      "to one of two cookies",
      () => ({
        "x-original-uri": SEGMENT,
        cookie: `playback_token=${ended};playback_token=${token}`,
      }),
    ],
    [
      "to a cookie beside a query that has ended",
      () => ({
        "x-original-uri": `${SEGMENT}?playback_token=${ended}`,
        cookie: `playback_token=${token}`,
      }),
    ],
    [
      "to the parameter",
      () => ({}),
      () => `${OF_ALPHA}&uri=${encodeURIComponent(`https://media.example${withToken(SEGMENT)}`)}`,
    ],
  ])("%s", async (_what, headers, query = () => OF_ALPHA) => {
    const got = await verify(headers(), query());
    expect([got.status, got.text]).toEqual([204, ""]);
    expect(got.headers.get("marquee-session")).toBe("session-1");
    expect(got.headers.get("marquee-reason")).toBeNull();
    expect(got.headers.get("cache-control")).toBe("no-store");
  });

  test("over HTTP/2 and to HEAD", async () => {
    const session = await connectHttp2(service.url);
    const got = await requestHttp2(session, {
      ":path": VERIFY + OF_ALPHA,
      ...VIEWER,
      "x-original-uri": withToken(SEGMENT),
    });
    expect(got.status).toBe(204);
    session.close();
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

test.each<
  [what: string, headers: () => Record<string, string>, reason: string, query?: () => string]
>([
  ["to nothing", () => ({}), "TOKEN_MISSING"],
  ["to no token", () => ({ "x-original-uri": SEGMENT }), "TOKEN_MISSING"],
  [
    "to another cookie",
    () => ({ "x-original-uri": SEGMENT, cookie: `xplayback_token=${token}` }),
    "TOKEN_MISSING",
  ],
  [
    "to a token behind a second mark",
    () => ({ "x-original-uri": `${SEGMENT}?a?playback_token=${token}` }),
    "TOKEN_MISSING",
  ],
  [
    "to an empty token",
    () => ({ "x-original-uri": `${SEGMENT}?playback_token=` }),
    "SIGNATURE_INVALID",
  ],
  [
    "to another folder",
    () => ({ "x-original-uri": withToken("/alpha/open/playlist.m3u8") }),
    "SIGNATURE_INVALID",
  ],
  [
    "to steps out of the folder",
    () => ({ "x-original-uri": withToken("/alpha/bound/../open/playlist.m3u8") }),
    "SIGNATURE_INVALID",
  ],
  [
    "to another host",
    () => ({ "x-original-uri": `https://other.example${withToken(SEGMENT)}` }),
    "SIGNATURE_INVALID",
  ],
  [
    "to a token that has ended",
    () => ({ "x-original-uri": `${SEGMENT}?playback_token=${ended}` }),
    "URL_EXPIRED",
  ],
  [
    "to another address",
    () => ({ "x-original-uri": withToken(SEGMENT), "x-forwarded-for": "192.0.2.2" }),
    "ADDRESS_NOT_BOUND",
  ],
  [
    "to an address that the viewer made up",
    () => ({
      "x-original-uri": withToken(SEGMENT),
      "x-forwarded-for": "192.0.2.1, 192.0.2.2",
      "x-original-address": "192.0.2.1",
    }),
    "ADDRESS_NOT_BOUND",
  ],
  [
    "to a header that the viewer made up beside the parameter",
    () => ({ "x-original-uri": withToken(SEGMENT) }),
    "TOKEN_MISSING",
    () => `${OF_ALPHA}&uri=${encodeURIComponent("/alpha/open/playlist.m3u8")}`,
  ],
  [
    "where it names no project",
    () => ({ "x-original-uri": playlistUrl }),
    "PROJECT_MISSING",
    () => "",
  ],
  [
    "where it names an empty one",
    () => ({ "x-original-uri": playlistUrl }),
    "PROJECT_MISSING",
    () => "?project_id=",
  ],
  [
    "where the viewer's query gets into its own",
    () => ({ "x-original-uri": playlistUrl }),
    "PROJECT_MISSING",
    () => "?project_id=beta&uri=/beta/p?a&project_id=alpha",
  ],
  [
    "where the project is in the viewer's query alone",
    () => ({ "x-original-uri": `${playlistUrl}&project_id=alpha` }),
    "PROJECT_MISSING",
    () => "?projectId=alpha",
  ],
  [
    "to a token of another project",
    () => ({ "x-original-uri": playlistUrl }),
    "PROJECT_NOT_ALLOWED",
    () => "?project_id=beta",
  ],
  [
    "to the cookie of another project",
    () => ({ "x-original-uri": SEGMENT, cookie: `playback_token=${token}` }),
    "PROJECT_NOT_ALLOWED",
    () => "?project_id=beta",
  ],
])("an edge server is answered 403: %s", async (_what, headers, reason, query = () => OF_ALPHA) => {
  expectRefused(await verify(headers(), query()), reason);
});

test("the question is a GET, on the listener of delivery alone", async () => {
  const got = await send("POST", service.url + VERIFY, { body: {} });
  expect([got.status, got.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const address = { host: "127.0.0.1", port: 0 };
  const split = await startServer({
    store: service.store,
    log: silentLog(),
    clock: () => service.now(),
    identityIssuers: [],
    reflection: false,
    ...{ listen: address, studioListen: address, deliveryListen: address },
  });
  expect((await send("GET", split.studioUrl + VERIFY)).status).toBe(404);
  expect((await send("GET", split.deliveryUrl + VERIFY)).status).toBe(403);
  await split.close(1_000);
});

test("the question is answered without the database", async () => {
  const other = await startPlaybackService();
  await other.store.close();
  const got = await send("GET", other.url + VERIFY + OF_ALPHA, {
    headers: { "x-original-uri": SEGMENT },
  });
  expect(got.headers.get("marquee-reason")).toBe("TOKEN_MISSING");
  await other.close().catch(() => {});
});
