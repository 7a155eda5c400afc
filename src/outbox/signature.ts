import { timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { Code, DomainError } from "../domain/errors.ts";

/** What a secret begins with, so that a leaked one is recognised. */
const SECRET_PREFIX = "whsec_";

/** How many random bytes a secret has; the standard wants 24 to 64. */
const SECRET_BYTES = 32;

/** How far a timestamp may lie from the clock, before or after it, in seconds. */
const TOLERANCE = 5 * 60;

/** An id that no dot can shift into the timestamp that is signed behind it. */
const MESSAGE_ID = /^[\w-]{1,255}$/;

/** Whole seconds since 1970, written in one way only: the number is signed and not its text. */
const TIMESTAMP = /^[1-9]\d{0,11}$/;

/** The headers that make a request a signed one, as Standard Webhooks names them. */
export type WebhookHeaders = {
  readonly "webhook-id": string;
  /** Whole seconds since 1970. */
  readonly "webhook-timestamp": string;
  /** `v1,` and the HMAC-SHA-256 in base64. */
  readonly "webhook-signature": string;
};

/** A message to be signed. */
export interface OutgoingWebhook {
  /** `whsec_` and the key in base64. */
  readonly secret: string;
  /** The same in every attempt: at most 255 characters of A-Z a-z 0-9 _ -. */
  readonly id: string;
  /** When this attempt is made; a receiver refuses one that is older than 5 minutes. */
  readonly time: Date;
  /** Exactly what is sent. */
  readonly body: string;
}

/** A message that says that it is signed. */
export interface IncomingWebhook {
  /** The secrets of which one must fit: while a secret is rotated, the older one and the newer. */
  readonly secrets: readonly string[];
  readonly headers: Headers;
  /** Exactly what came, before anything has read it. */
  readonly body: string | Uint8Array;
  readonly now: Date;
}

/** What the signature of a message vouches for, besides its body. */
export interface VerifiedWebhook {
  /** The same when the message comes again. */
  readonly id: string;
  /** When the sender sent it, in whole seconds. */
  readonly time: Date;
}

/** Makes a secret of 256 random bits; `random` makes as many bytes as it is asked for. */
export function createSecret(random: (size: number) => Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(random(SECRET_BYTES)).toString("base64");
}

/** Signs a message by Standard Webhooks, `v1`. Throws for an id with other characters. */
export function signWebhook({ secret, id, time, body }: OutgoingWebhook): WebhookHeaders {
  if (!MESSAGE_ID.test(id))
    throw new Error("the id of a webhook has other characters than A-Za-z0-9_-");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(time.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, time, body),
  };
}

/**
 * Verifies a message that was signed by Standard Webhooks, `v1`. The time that this takes tells
 * nothing of a signature that would fit. That an id has been seen before is for the caller to find.
 *
 * UNAUTHENTICATED `WEBHOOK_HEADER_MISSING`, `WEBHOOK_TIMESTAMP_INVALID` if it is unreadable or more
 * than 5 minutes off, `WEBHOOK_SIGNATURE_INVALID` if no secret made one of the signatures.
 */
export function verifyWebhook({ secrets, headers, body, now }: IncomingWebhook): VerifiedWebhook {
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature").split(" ");
  const seconds = Math.floor(now.getTime() / 1_000);
  if (!TIMESTAMP.test(timestamp) || Math.abs(seconds - Number(timestamp)) > TOLERANCE) {
    const message = `the header webhook-timestamp is not a time within ${TOLERANCE} seconds of now`;
    throw unauthenticated("WEBHOOK_TIMESTAMP_INVALID", message, { tolerance: `${TOLERANCE}s` });
  }
  const time = new Date(Number(timestamp) * 1_000);
  const text = readText(body);
  // The library signs, but does not verify: its clock is the machine's.
  const wanted =
    text === undefined ? [] : secrets.map((it) => new Webhook(it).sign(id, time, text));
  const matches = wanted.flatMap((want) => signatures.map((got) => isSame(got, want)));
  if (!matches.includes(true)) {
    const message = "no signature in the header webhook-signature is made with the secret";
    throw unauthenticated("WEBHOOK_SIGNATURE_INVALID", message);
  }
  return { id, time };
}

function readHeader(headers: Headers, name: keyof WebhookHeaders): string {
  const value = headers.get(name);
  if (value !== null && value !== "") return value;
  throw unauthenticated("WEBHOOK_HEADER_MISSING", `the header ${name} is missing`, {
    header: name,
  });
}

/** The library signs text, so bytes that are none must not become the same text as others. */
function readText(body: string | Uint8Array): string | undefined {
  if (typeof body === "string") return body;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function isSame(got: string, want: string): boolean {
  const [ours, theirs] = [Buffer.from(want), Buffer.from(got)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

function unauthenticated(reason: string, message: string, metadata = {}): DomainError {
  return new DomainError(Code.UNAUTHENTICATED, reason, message, { metadata });
}
