import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { connectHeaders } from "../../harness/calls.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { type HttpResponse, metadataOf, reasonOf } from "../../harness/http.ts";
import { override } from "../../harness/override.ts";
import { pathOf, startPlaybackService } from "../../playback/playback-service.ts";

const service = await startPlaybackService();
afterAll(() => service.close());
// Ends the streams that other tests hold.
beforeEach(() => service.pass(91_000));

const VIDEO = "video-counted";
const PATH = pathOf("AuthorizePlayback");

/** A user whom no other test has, with as many streams as `viewer-1`, as the one offer says. */
async function signIn(userId = "viewer-1") {
  const token = await service.signIn(userId);
  return {
    token,
    authorize: (sessionKey: string, videoId = VIDEO) =>
      service.call("AuthorizePlayback", { videoId, sessionKey }, { token }),
    keep: (sessionKey: string) =>
      service.call("KeepPlayback", { videoId: VIDEO, sessionKey }, { token }),
    stop: (sessionKey: string) => service.call("StopPlayback", { sessionKey }, { token }),
  };
}

const LIMITED = [429, "resource_exhausted", "CONCURRENCY_LIMIT_REACHED"];
function expectFull(got: HttpResponse, sessionKeys: string) {
  expect([got.status, got.json.code, reasonOf(got)]).toEqual(LIMITED);
  expect(metadataOf(got)).toEqual({
    ruleset_id: "ruleset-counted",
    rule: "enforce_concurrency_limits",
    session_keys: sessionKeys,
  });
  expect(got.headers.get("cache-control")).toBe("no-store");
  expect(got.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
}

describe("a viewer whose offer gives two streams", () => {
  test("has two, and not a third until one is stopped", async () => {
    const { authorize, stop } = await signIn();
    expect((await authorize("a")).status).toBe(200);
    expect((await authorize("b")).status).toBe(200);
    expectFull(await authorize("c"), "a,b");
    expect((await stop("a")).text).toBe("{}\n");
    expect((await authorize("c")).status).toBe(200);
    expectFull(await authorize("a"), "b,c");
  });

  test("never takes a second one by the same session key, also for another video", async () => {
    const { authorize } = await signIn();
    for (let time = 0; time < 3; time += 1) expect((await authorize("a")).status).toBe(200);
    expect((await authorize("a", "video-entitled")).status).toBe(200);
    expect((await authorize("b")).status).toBe(200);
    expectFull(await authorize("c"), "a,b");
  });

  test("shares no stream with another viewer", async () => {
    const one = await signIn();
    const two = await signIn("viewer-2");
    expect((await one.authorize("a")).status).toBe(200);
    expect((await one.authorize("b")).status).toBe(200);
    expect((await two.authorize("a")).status).toBe(200);
    await two.stop("b");
    expectFull(await one.authorize("c"), "a,b");
  });

  test("of twenty players at once gets two", async () => {
    const { authorize } = await signIn();
    const keys = Array.from({ length: 20 }, (_, index) => `at-once-${index}`);
    const got = await Promise.all(keys.map((key) => authorize(key)));
    expect(got.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(got.filter(({ status }) => status === 429)).toHaveLength(18);
  });
});

test("who is rejected learns in how many seconds the first stream ends, if it is not kept", async () => {
  const { authorize, keep } = await signIn();
  await authorize("a");
  service.pass(10_400);
  await authorize("b");
  const seconds = async () => {
    const got = await authorize("c");
    expectFull(got, "a,b");
    return Number(got.headers.get("retry-after"));
  };
  expect(await seconds()).toBe(80);
  service.pass(400);
  expect(await seconds()).toBe(80);
  service.pass(78_200);
  expect(await seconds()).toBe(1);
  await keep("a");
  expect(await seconds()).toBe(12);
  service.pass(11_400);
  expect((await authorize("c")).status).toBe(200);
  service.pass(600);
});

test("a viewer whose offer says no number has the service's three", async () => {
  const { authorize } = await signIn("viewer-2");
  for (const key of ["a", "b", "c"]) expect((await authorize(key)).status).toBe(200);
  expectFull(await authorize("d"), "a,b,c");
});

test("--max-streams counts where the offer says no number, and only there", async () => {
  const limits = { maxStreams: 1, keepAliveInterval: 10_000, playlistTtl: 60_000 };
  const other = await startPlaybackService({ playbackLimits: limits });
  const call = async (userId: string, sessionKey: string) =>
    other.call(
      "AuthorizePlayback",
      { videoId: VIDEO, sessionKey },
      { token: await other.signIn(userId) },
    );
  const first = await call("viewer-2", "a");
  expect(first.json.keepAliveInterval).toBe("10s");
  expect(Date.parse(first.json.expireTime) - other.now().getTime()).toBe(60_000);
  expectFull(await call("viewer-2", "b"), "a");
  expect((await call("viewer-1", "a")).status).toBe(200);
  expect((await call("viewer-1", "b")).status).toBe(200);
  other.pass(30_000);
  expect((await call("viewer-2", "b")).status).toBe(200);
  await other.close();
});

describe("a stream", () => {
  test("that is kept stays, and its address is signed anew", async () => {
    const { authorize, keep } = await signIn();
    const first = await authorize("a");
    await authorize("b");
    for (let time = 0; time < 8; time += 1) {
      service.pass(30_000);
      const kept = await keep("a");
      expect(kept.status, kept.text).toBe(200);
      expect(Object.keys(kept.json).sort()).toEqual([
        ...["expireTime", "keepAliveInterval", "playlistUrl", "sessionKey"],
      ]);
      expect(kept.json.playlistUrl).not.toBe(first.json.playlistUrl);
      expect(Date.parse(kept.json.expireTime) - service.now().getTime()).toBe(330_000);
      await keep("b");
    }
    expectFull(await authorize("c"), "a,b");
  });

  test("that is not kept falls away after three intervals, to the millisecond", async () => {
    const { authorize, keep } = await signIn();
    await authorize("a");
    await authorize("b");
    service.pass(89_999);
    expectFull(await authorize("c"), "a,b");
    service.pass(1);
    expect((await authorize("c")).status).toBe(200);
    // One stream is free yet: who comes back first has it.
    expect((await keep("b")).status).toBe(200);
    expectFull(await keep("a"), "b,c");
  });

  test("is given back once; a second time, or one that nobody holds, is no error", async () => {
    const { stop } = await signIn();
    for (const key of ["never", "never"]) expect((await stop(key)).status).toBe(200);
    const anonymous = await service.call("StopPlayback", { sessionKey: "a" });
    expect([anonymous.status, anonymous.text]).toEqual([200, "{}\n"]);
    expect(anonymous.headers.get("cache-control")).toBe("private, no-store");
  });

  test("cannot be stopped by another viewer", async () => {
    const one = await signIn();
    const two = await signIn("viewer-2");
    await one.authorize("a");
    await one.authorize("b");
    await two.stop("a");
    await service.call("StopPlayback", { sessionKey: "a" });
    expectFull(await one.authorize("c"), "a,b");
  });

  test("is not taken where streams are not counted, or playback is rejected", async () => {
    const { authorize, token } = await signIn();
    for (const key of ["a", "b", "c"]) await authorize(key, "video-entitled");
    const rejected = await service.call(
      "AuthorizePlayback",
      { videoId: "video-strict", sessionKey: "d" },
      { token, headers: { "x-country": "US" } },
    );
    expect(reasonOf(rejected)).toBe("GEO_NOT_ALLOWED");
    for (const key of ["e", "f"]) expect((await authorize(key)).status).toBe(200);
  });

  test("ends with the entitlement, at the next Keep", async () => {
    const other = await startPlaybackService();
    const token = await other.signIn("viewer-1");
    const message = { videoId: VIDEO, sessionKey: "a" };
    other.pass(11 * 3_600_000);
    expect((await other.call("AuthorizePlayback", message, { token })).status).toBe(200);
    const renewed = await other.signIn("viewer-1");
    other.pass(3_600_000);
    const got = await other.call("KeepPlayback", message, { token: renewed });
    expect(reasonOf(got)).toBe("ENTITLEMENT_REQUIRED");
    await other.close();
  });
});

test("a viewer who leaves while a stream is claimed holds none", async () => {
  const { log, lines } = captureLog();
  let onClaimed = async () => {};
  const leaving = await startPlaybackService(
    { log },
    {
      wrap: (store) =>
        override(store, {
          leases: override(store.leases, {
            async claim(claim) {
              const result = await store.leases.claim(claim);
              await onClaimed();
              return result;
            },
          }),
        }),
    },
  );
  const token = await leaving.signIn("viewer-1");
  const call = new AbortController();
  const claimed = new Promise<void>((resolve) => {
    onClaimed = async () => {
      call.abort();
      // The service has noticed that the connection ended.
      await expect
        .poll(() => lines.some(({ msg, path }) => msg === "request" && path === PATH))
        .toBe(true);
      resolve();
    };
  });
  const body = JSON.stringify({ videoId: VIDEO, sessionKey: "left" });
  const init = { method: "POST", headers: connectHeaders(token), body, signal: call.signal };
  await expect(fetch(leaving.url + PATH, init)).rejects.toThrow();
  await claimed;
  await expect.poll(() => leaving.store.leases.count(leaving.now())).toBe(0);
  await leaving.close();
});
