import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { Code, DomainError } from "../../src/domain/errors.ts";
import {
  createSecret,
  type IncomingWebhook,
  signWebhook,
  verifyWebhook,
} from "../../src/outbox/signature.ts";

/** The vector that the libraries of Standard Webhooks are tested with. */
const VECTOR = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  seconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const OTHER_SIGNATURE = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";
const NOW = new Date(VECTOR.seconds * 1_000);
const OTHER_SECRET = createSecret((size) => Buffer.alloc(size, 7));

const HEADERS = {
  "webhook-id": VECTOR.id,
  "webhook-timestamp": String(VECTOR.seconds),
  "webhook-signature": VECTOR.signature,
};

function verify(
  headers: Record<string, string> = {},
  { secrets = [VECTOR.secret], body = VECTOR.body, now = NOW }: Partial<IncomingWebhook> = {},
) {
  return verifyWebhook({ secrets, headers: new Headers({ ...HEADERS, ...headers }), body, now });
}

function reasonOf(run: () => unknown): string {
  try {
    run();
    return "none";
  } catch (fault) {
    if (!(fault instanceof DomainError)) throw fault;
    expect(fault.code).toBe(Code.UNAUTHENTICATED);
    return fault.reason;
  }
}

describe("a secret", () => {
  test("is 32 random bytes in base64 behind its prefix", () => {
    const secret = createSecret((size) => Buffer.alloc(size, 0xff));
    expect(secret).toBe(`whsec_${Buffer.alloc(32, 0xff).toString("base64")}`);
  });

  test("is one that the library reads", () => {
    const secret = createSecret(randomBytes);
    const headers = new Headers(signWebhook({ secret, id: "a", time: NOW, body: "{}" }));
    const key = Buffer.from(secret.slice(6), "base64");
    const want = new Webhook(key, { format: "raw" }).sign("a", NOW, "{}");
    expect(headers.get("webhook-signature")).toBe(want);
  });
});

describe("a signature", () => {
  test("is the one of the official vector", () => {
    const { secret, id, body } = VECTOR;
    expect(signWebhook({ secret, id, time: NOW, body })).toEqual(HEADERS);
  });

  test("holds for the second in which it is made", () => {
    const { secret, id, body } = VECTOR;
    const time = new Date(NOW.getTime() + 999);
    expect(signWebhook({ secret, id, time, body })).toEqual(HEADERS);
  });

  test("of what the library verifies is made", () => {
    const now = new Date();
    const body = '{"name":"Ä 🎬"}';
    const headers = signWebhook({ secret: VECTOR.secret, id: "a-1_B", time: now, body });
    expect(new Webhook(VECTOR.secret).verify(body, headers)).toEqual({ name: "Ä 🎬" });
  });

  test.each(["a.b", "", "a b", "a\r\nb", "ä", "a".repeat(256)])(
    "is not made for the id %s",
    (id) => {
      const { secret, body } = VECTOR;
      expect(() => signWebhook({ secret, id, time: NOW, body })).toThrow("the id of a webhook");
    },
  );
});

describe("verification tells the id and time of", () => {
  const want = { id: VECTOR.id, time: NOW };

  test.each<[string, () => unknown]>([
    ["the official vector", () => verify()],
    ["bytes", () => verify({}, { body: Buffer.from(VECTOR.body) })],
    ["a secret without its prefix", () => verify({}, { secrets: [VECTOR.secret.slice(6)] })],
    [
      "two signatures, of which the second fits",
      () => verify({ "webhook-signature": `${OTHER_SIGNATURE} ${VECTOR.signature}` }),
    ],
    [
      "two signatures, of which the first fits",
      () => verify({ "webhook-signature": `${VECTOR.signature} ${OTHER_SIGNATURE}` }),
    ],
    [
      "signatures of other versions",
      () => verify({ "webhook-signature": `v1a,xyz v2, ${VECTOR.signature}` }),
    ],
    ["an older secret", () => verify({}, { secrets: [OTHER_SECRET, VECTOR.secret] })],
    ["a newer secret", () => verify({}, { secrets: [VECTOR.secret, OTHER_SECRET] })],
    ["5 minutes ago", () => verify({}, { now: new Date(NOW.getTime() + 300_999) })],
    ["in 5 minutes", () => verify({}, { now: new Date(NOW.getTime() - 300_000) })],
  ])("%s", (_what, run) => {
    expect(run()).toEqual(want);
  });
});

describe("verification refuses", () => {
  const signature = "WEBHOOK_SIGNATURE_INVALID";
  const timestamp = "WEBHOOK_TIMESTAMP_INVALID";

  test.each<readonly [string, string, () => unknown]>([
    ["a changed body", signature, () => verify({}, { body: `${VECTOR.body} ` })],
    ["a byte order mark before it", signature, () => verify({}, { body: withMark(VECTOR.body) })],
    ["an empty body", signature, () => verify({}, { body: "" })],
    ["a changed id", signature, () => verify({ "webhook-id": `${VECTOR.id}x` })],
    [
      "a changed timestamp",
      signature,
      () => verify({ "webhook-timestamp": String(VECTOR.seconds + 1) }),
    ],
    ["a wrong secret", signature, () => verify({}, { secrets: [OTHER_SECRET] })],
    ["no secret at all", signature, () => verify({}, { secrets: [] })],
    ["another signature", signature, () => verify({ "webhook-signature": OTHER_SIGNATURE })],
    [
      "two other signatures",
      signature,
      () => verify({ "webhook-signature": `${OTHER_SIGNATURE} ${OTHER_SIGNATURE}` }),
    ],
    ["a part", signature, () => verify({ "webhook-signature": VECTOR.signature.slice(0, 8) })],
    [
      "another version",
      signature,
      () => verify({ "webhook-signature": VECTOR.signature.replace("v1,", "v2,") }),
    ],
    ["a version alone", signature, () => verify({ "webhook-signature": "v1," })],
    ["a time that is 1 second too old", timestamp, () => verify({}, { now: later(301_000) })],
    ["a time that is 1 second too new", timestamp, () => verify({}, { now: later(-301_000) })],
    ...["hello", "0", "-1", "1e9", `0${VECTOR.seconds}`, `${VECTOR.seconds}.5`, "1".repeat(13)].map(
      (text) =>
        [`the timestamp ${text}`, timestamp, () => verify({ "webhook-timestamp": text })] as const,
    ),
    ...Object.keys(HEADERS).map(
      (name) =>
        [`an empty ${name}`, "WEBHOOK_HEADER_MISSING", () => verify({ [name]: "" })] as const,
    ),
    [
      "no headers",
      "WEBHOOK_HEADER_MISSING",
      () => verifyWebhook({ secrets: [], headers: new Headers(), body: "", now: NOW }),
    ],
  ])("%s", (_what, want, run) => {
    expect(reasonOf(run)).toBe(want);
  });

  test("bytes that are no text, though they read like some that are", () => {
    const body = "\ufffd";
    const headers = new Headers(signWebhook({ secret: VECTOR.secret, id: "a", time: NOW, body }));
    const run = (bytes: Uint8Array) => () =>
      verifyWebhook({ secrets: [VECTOR.secret], headers, body: bytes, now: NOW });
    expect(reasonOf(run(Buffer.from(body)))).toBe("none");
    expect(reasonOf(run(Buffer.from([0xff])))).toBe("WEBHOOK_SIGNATURE_INVALID");
  });
});

function later(time: number): Date {
  return new Date(NOW.getTime() + time);
}

function withMark(text: string): Uint8Array {
  return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
}
