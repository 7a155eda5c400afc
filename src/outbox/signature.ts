import { createHmac, timingSafeEqual } from "node:crypto";
import { Code, DomainError, type Reason } from "../domain/base/errors.ts";

/** The prefix of a secret, which lets scanners recognize a leaked one. */
const SECRET_PREFIX = "whsec_";

/** The random bytes of a secret; the standard requires 24 to 64. */
const SECRET_BYTES = 32;

/** The maximum difference between a timestamp and the clock, in seconds. */
const TOLERANCE = 5 * 60;

/** An id without dots, which separate it from the timestamp in the signed text. */
const MESSAGE_ID = /^[\w-]{1,255}$/;

/** Whole seconds since 1970 in canonical form, because the signature covers the number, not its text. */
const TIMESTAMP = /^[1-9]\d{0,11}$/;

/** The headers of a signed request, by Standard Webhooks. */
export type WebhookHeaders = {
  readonly "webhook-id": string;
  /** Whole seconds since 1970. */
  readonly "webhook-timestamp": string;
  /** `v1,` and the HMAC-SHA-256 in base64. */
  readonly "webhook-signature": string;
};

/** A message to sign. */
export interface OutgoingWebhook {
  /** `whsec_` and the key in base64. */
  readonly secret: string;
  /** The same in every attempt: at most 255 characters of A-Z a-z 0-9 _ -. */
  readonly id: string;
  /** The time of this attempt; receivers reject messages older than 5 minutes. */
  readonly time: Date;
  /** The exact body to send. */
  readonly body: string;
}

/** A received message to verify. */
export interface IncomingWebhook {
  /** The accepted secrets: during a rotation, the old and the new one. */
  readonly secrets: readonly string[];
  readonly headers: Headers;
  /** The exact body received, unparsed. */
  readonly body: string | Uint8Array;
  readonly now: Date;
}

/** The signed properties of a message, besides its body. */
export interface VerifiedWebhook {
  /** The same for every delivery of the message. */
  readonly id: string;
  /** The time of sending, in whole seconds. */
  readonly time: Date;
}

/** Creates a secret of 256 random bits; `random` returns the requested number of bytes. */
export function createSecret(random: (size: number) => Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(random(SECRET_BYTES)).toString("base64");
}

/** Signs a message by Standard Webhooks, `v1`. Throws for an id with characters other than A-Z a-z 0-9 _ -. */
export function signWebhook({ secret, id, time, body }: OutgoingWebhook): WebhookHeaders {
  if (!MESSAGE_ID.test(id)) throw new Error("the id of a webhook may only contain A-Z a-z 0-9 _ -");
  const timestamp = String(Math.floor(time.getTime() / 1_000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": sign(secret, id, timestamp, body),
  };
}

/**
 * Verifies a message signed by Standard Webhooks, `v1`, in constant time. The caller must detect a repeated id.
 *
 * UNAUTHENTICATED:
 * - `WEBHOOK_HEADER_MISSING`: a header is missing.
 * - `WEBHOOK_TIMESTAMP_INVALID`: the timestamp is malformed or more than 5 minutes off.
 * - `WEBHOOK_SIGNATURE_INVALID`: no signature matches a secret.
 */
export function verifyWebhook({ secrets, headers, body, now }: IncomingWebhook): VerifiedWebhook {
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature").split(" ");
  const seconds = Math.floor(now.getTime() / 1_000);
  if (!TIMESTAMP.test(timestamp) || Math.abs(seconds - Number(timestamp)) > TOLERANCE) {
    const message = `the header webhook-timestamp must be within ${TOLERANCE} seconds of the current time`;
    throw unauthenticated("WEBHOOK_TIMESTAMP_INVALID", message, { tolerance: `${TOLERANCE}s` });
  }
  const wanted = secrets.map((secret) => sign(secret, id, timestamp, body));
  const matches = wanted.flatMap((want) => signatures.map((got) => isSame(got, want)));
  if (!matches.includes(true)) {
    const message = "no signature in the header webhook-signature matches the secret";
    throw unauthenticated("WEBHOOK_SIGNATURE_INVALID", message);
  }
  return { id, time: new Date(Number(timestamp) * 1_000) };
}

function sign(secret: string, id: string, timestamp: string, body: string | Uint8Array): string {
  const key = Buffer.from(secret.replace(SECRET_PREFIX, ""), "base64");
  const signed = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  return `v1,${signed.digest("base64")}`;
}

function readHeader(headers: Headers, name: keyof WebhookHeaders): string {
  const value = headers.get(name);
  if (value !== null && value !== "") return value;
  throw unauthenticated("WEBHOOK_HEADER_MISSING", `the header ${name} is missing`, {
    header: name,
  });
}

function isSame(got: string, want: string): boolean {
  const [ours, theirs] = [Buffer.from(want), Buffer.from(got)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

function unauthenticated(reason: Reason, message: string, metadata = {}): DomainError {
  return new DomainError(Code.UNAUTHENTICATED, reason, message, { metadata });
}
