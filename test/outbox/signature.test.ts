import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { Code } from "../../src/domain/base/errors.ts";
import {
  createSecret,
  type IncomingWebhook,
  signWebhook,
  verifyWebhook,
} from "../../src/outbox/signature.ts";
import { openCases } from "../harness/cases.ts";
import { errorOf } from "../harness/rejection.ts";

const each = openCases("outbox/signature");

/** The vector that the libraries of Standard Webhooks are tested with. */
const VECTOR = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  seconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const NOW = new Date(VECTOR.seconds * 1_000);

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
  const error = errorOf(run);
  if (error === undefined) return "none";
  expect(error.code).toBe(Code.UNAUTHENTICATED);
  return error.reason;
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

interface Changes {
  readonly secrets?: string[];
  readonly body?: string;
  /** Milliseconds after the time of the vector. */
  readonly later?: number;
}

const verifyChanged = (headers: Record<string, string>, { later = 0, ...changes }: Changes) =>
  verify(headers, { ...changes, now: new Date(NOW.getTime() + later) });

each<[string, Record<string, string>, Changes]>(
  "a webhook is verified",
  (_name, headers, changes) => {
    expect(verifyChanged(headers, changes)).toEqual({ id: VECTOR.id, time: NOW });
  },
);

each<[string, string, Record<string, string>, Changes]>(
  "a webhook is rejected",
  (_name, want, headers, changes) => {
    // As bytes, so that a byte order mark stays.
    const body = Buffer.from(changes.body ?? VECTOR.body);
    expect(reasonOf(() => verifyChanged(headers, changes))).toBe(want);
    const bytes = { secrets: [VECTOR.secret], now: NOW, ...changes, body };
    const now = new Date(NOW.getTime() + (changes.later ?? 0));
    expect(reasonOf(() => verify(headers, { ...bytes, now }))).toBe(want);
  },
);

describe("a webhook", () => {
  test("may be bytes", () => {
    const got = verify({}, { body: Buffer.from(VECTOR.body) });
    expect(got).toEqual({ id: VECTOR.id, time: NOW });
  });

  test("without headers is rejected", () => {
    const run = () => verifyWebhook({ secrets: [], headers: new Headers(), body: "", now: NOW });
    expect(reasonOf(run)).toBe("WEBHOOK_HEADER_MISSING");
  });

  test("of bytes that are no text is rejected, though they read like some that are", () => {
    const body = "\ufffd";
    const headers = new Headers(signWebhook({ secret: VECTOR.secret, id: "a", time: NOW, body }));
    const run = (bytes: Uint8Array) => () =>
      verifyWebhook({ secrets: [VECTOR.secret], headers, body: bytes, now: NOW });
    expect(reasonOf(run(Buffer.from(body)))).toBe("none");
    expect(reasonOf(run(Buffer.from([0xff])))).toBe("WEBHOOK_SIGNATURE_INVALID");
  });
});
