import { hash } from "node:crypto";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { clip } from "../../domain/base/text.ts";
import { type Exchange, isProcedure } from "./exchange.ts";

/** The response header with the state of a public response. */
export const STATE_HEADER = "marquee-state";

/** The state of a public response: what it says, and when that was read. */
export interface ContentState {
  /** The hash of the message before its compression: the same for all codings and processes. */
  readonly hash: string;
  /** The revision of the project that was known before the message was made. */
  readonly revision: number;
}

/** A read that waits until its response has another state. */
export interface WaitRequest {
  /** The state of the response that the caller has. */
  readonly after: ContentState;
  /** The longest wait, in milliseconds. */
  readonly ms: number;
  /** The URL of the same read without the wait. */
  readonly url: string;
}

/** The longest wait, in seconds. */
const LONGEST = 10;

/** The characters of the hash of a state: 96 bits. */
const HASH_CHARACTERS = 16;

const STATE = /^([\w-]{16})\.(\d{1,15})$/;

const PARAMETER = /(?:^|&)(?:after|wait)=[^&]*/;
const PARAMETERS = new RegExp(PARAMETER, "g");

/** Prints the state of a message that was made at a revision of its project. */
export function printState(message: Uint8Array, revision: number): string {
  return `${hash("sha256", message, "base64url").slice(0, HASH_CHARACTERS)}.${revision}`;
}

/** Parses a state; undefined for any other text. */
export function parseState(text: string | null | undefined): ContentState | undefined {
  const [, digest, revision] = STATE.exec(text ?? "") ?? [];
  return digest === undefined ? undefined : { hash: digest, revision: Number(revision) };
}

/**
 * Returns the wait that the URL of a procedure asks for; undefined without one. INVALID_ARGUMENT `WAIT_NOT_SUPPORTED` for
 * anything but a GET of a public read with a key in its URL, and `WAIT_INVALID`.
 */
export function readWait(
  { method, path, query }: Exchange,
  isPublicRead: boolean,
): WaitRequest | undefined {
  if (!PARAMETER.test(query) || !isProcedure(path)) return undefined;
  const parameters = new URLSearchParams(query);
  if (method !== "GET" || !isPublicRead || !parameters.has("key")) throw waitNotSupported();
  const text = parameters.get("wait") ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : 0;
  if (seconds < 1)
    throw waitInvalid(`wait: must be a whole number of seconds from 1, not '${clip(text)}'`);
  const given = parameters.get("after") ?? "";
  const after = parseState(given);
  if (after === undefined)
    throw waitInvalid(`after: must be the Marquee-State of a response, not '${clip(given)}'`);
  const rest = query.replaceAll(PARAMETERS, "").replace(/^&/, "");
  return { after, ms: Math.min(seconds, LONGEST) * 1_000, url: `${path}?${rest}` };
}

/** Creates the error of a wait for a response that is for one caller only. */
export function waitNotSupported(): DomainError {
  const message =
    "wait: must be on a GET with a public key in the URL whose response does not depend on the viewer";
  return new DomainError(Code.INVALID_ARGUMENT, "WAIT_NOT_SUPPORTED", message);
}

function waitInvalid(message: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, "WAIT_INVALID", message);
}
