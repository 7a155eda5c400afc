import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { rejection, send } from "../../harness/http.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import {
  type EventSending,
  eventOf,
  foreignSecret,
  rotateSecret,
  sendEvent,
} from "./billing-events.ts";
import { callStudio, createOffer } from "./monetization.ts";

const HOUR_MS = 3_600_000;
let now = new Date("2026-11-20T12:00:00Z");
const marquee = await useMarquee({ clock: () => now });
await createOffer(marquee, "signed");

const later = (ms: number) => {
  now = new Date(now.getTime() + ms);
};
const EVENT = eventOf("captured", "signed-1", { user_id: "u", offer_id: "signed" });
/** Sends an event that is dated by the clock of the test. */
const report = (secret: string, sending: EventSending = {}) =>
  sendEvent(marquee, secret, EVENT, { time: now, ...sending });
const get = (projectId = "worldcup", headers = {}) =>
  callStudio(marquee, "GET", `billing_integrations/v1/${projectId}`, undefined, headers);

describe("the secret", () => {
  test("is there from the first rotation on, and never shown again", async () => {
    const before = await get("sandbox");
    expect(before.json).toEqual({ integration: { project_id: "sandbox" } });
    const path = "billing_integrations/v1/sandbox:rotateSecret";
    const tried = await callStudio(marquee, "POST", path, { validate_only: true });
    expect(tried.json.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await get("sandbox")).json).toEqual(before.json);

    const rotated = await callStudio(marquee, "POST", path, {});
    expect(rotated.json.signing_secret).toMatch(/^whsec_/);
    expect(rotated.headers.get("cache-control")).toContain("no-store");
    const got = await get("sandbox");
    expect(got.text).not.toContain("whsec_");
    expect(got.json).toEqual({
      integration: { project_id: "sandbox", secret_create_time: "2026-11-20T12:00:00Z" },
    });
    expect(got.headers.get("etag")).toBe(rotated.headers.get("etag"));
    expect(
      rejection(await callStudio(marquee, "POST", path, {}, { "if-match": '"wrong"' })),
    ).toEqual([409, "ETAG_MISMATCH"]);
  });

  test("before the newest holds for 24 hours more, and none before that", async () => {
    const first = await rotateSecret(marquee);
    const second = await rotateSecret(marquee);
    expect(second).not.toBe(first);
    expect((await get()).json.integration).toEqual({
      project_id: "worldcup",
      secret_create_time: now.toISOString().replace(".000", ""),
      previous_secret_expire_time: new Date(now.getTime() + 24 * HOUR_MS)
        .toISOString()
        .replace(".000", ""),
    });
    const statuses = async (...secrets: string[]) =>
      (await Promise.all(secrets.map((it) => report(it)))).map(({ status }) => status);
    expect(await statuses(first, second)).toEqual([200, 200]);
    later(24 * HOUR_MS - 1_000);
    expect(await statuses(first, second)).toEqual([200, 200]);
    later(1_000);
    expect(await statuses(first, second)).toEqual([401, 200]);
    const third = await rotateSecret(marquee);
    expect(await statuses(first, second, third)).toEqual([401, 200, 200]);
    const fourth = await rotateSecret(marquee);
    expect(await statuses(second, third, fourth)).toEqual([401, 200, 200]);
  });
});

describe("the signature", () => {
  let secret: string;
  beforeAll(async () => {
    secret = await rotateSecret(marquee);
  });

  const longAgo = () => new Date(now.getTime() - 301_000);
  const otherTime = () => ({ "webhook-timestamp": String(now.getTime() / 1_000 - 1) });
  test.each<[string, () => EventSending, string]>([
    ["another body", () => ({ body: "{}" }), "WEBHOOK_SIGNATURE_INVALID"],
    ["another project's path", () => ({ projectId: "sandbox" }), "WEBHOOK_SIGNATURE_INVALID"],
    ["a time long ago", () => ({ time: longAgo() }), "WEBHOOK_TIMESTAMP_INVALID"],
    ["another time", () => ({ headers: otherTime() }), "WEBHOOK_SIGNATURE_INVALID"],
    ["none", () => ({ headers: { "webhook-signature": "" } }), "WEBHOOK_HEADER_MISSING"],
  ])("does not hold with %s", async (_, sending, reason) => {
    const got = await report(secret, sending());
    expect([...rejection(got), got.json.code]).toEqual([401, reason, 16]);
  });

  test("of an unknown project looks like a wrong one", async () => {
    const responses = [
      await report(secret, { projectId: "nowhere" }),
      await report(secret, { projectId: "a%2Fb" }),
      await report(foreignSecret()),
    ];
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  });

  test("is over the body before it was compressed", async () => {
    const sending = {
      body: gzipSync(JSON.stringify(EVENT)),
      headers: { "content-encoding": "gzip" },
    };
    expect((await report(secret, sending)).status).toBe(200);
  });
});

describe("the path", () => {
  const URL = () => `${marquee.url}/monetization/billing_events/v1`;

  test("takes POST only, and one segment only", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const got = await send(method, `${URL()}/worldcup`);
      expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
    }
    for (const path of ["", "/", "/worldcup/", "/worldcup/more"]) {
      expect((await send("POST", URL() + path, { body: {} })).status).toBe(404);
    }
    const rejected = await report(foreignSecret(), { projectId: "%zz" });
    expect(rejection(rejected)).toEqual([400, "PATH_MALFORMED"]);
  });

  test("takes JSON only, and no more than it should", async () => {
    const secret = await rotateSecret(marquee);
    const text = await report(secret, { headers: { "content-type": "text/plain" } });
    expect(rejection(text)).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    const charset = await report(secret, {
      headers: { "content-type": "application/json; charset=utf-8" },
    });
    expect(charset.status).toBe(200);
    const rejected = await report(secret, { body: `"${"x".repeat(256 * 1_024)}"` });
    expect(rejection(rejected)).toEqual([413, "BODY_TOO_LARGE"]);
  });

  test("is on the Studio API's listener alone", async () => {
    const split = await startMarquee({ deliveryListen: { host: "127.0.0.1", port: 0 } });
    try {
      const path = "/monetization/billing_events/v1/worldcup";
      const [studio, delivery] = await Promise.all(
        [split.server.studioUrl, split.server.deliveryUrl].map((url) =>
          send("POST", url + path, { body: {} }),
        ),
      );
      expect([studio?.status, delivery?.status]).toEqual([401, 404]);
    } finally {
      await split.close();
    }
  });
});
