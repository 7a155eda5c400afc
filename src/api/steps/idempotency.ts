import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from "node:crypto";
import { fromBinary, type Message, toBinary, toJson } from "@bufbuild/protobuf";
import { CHECKED_DEPTH } from "../../domain/base/descriptors.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { checkField, withField } from "../../domain/base/field-errors.ts";
import type { Store } from "../../storage/contract/store.ts";
import { findWriteFields } from "./request-fields.ts";
import type { ResponseLimit } from "./response-limit.ts";
import { type AuthorizedCall, organizationOf } from "./studio-call.ts";

/** How long a response is repeated, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;

/** The form of a request id: visible ASCII. */
const REQUEST_ID = /^[!-~]{1,128}$/;

/** The headers that are repeated with a response. */
const HEADERS = ["etag", "marquee-warnings"];

/** A call that may have been made before: its first response, whose headers are repeated, or how to store that. */
interface RepeatedCall {
  readonly response?: Message;
  keep?(response: Message): Promise<void>;
}

/**
 * Finds the response to an earlier call with the same `request_id`. INVALID_ARGUMENT
 * `REQUEST_ID_INVALID`; ALREADY_EXISTS `REQUEST_ID_REUSED` if that call was different or made with another access
 * token. A response may contain a secret, so only the token that received it decrypts it.
 */
export async function openRepeatedCall(
  store: Pick<Store, "storedResponses">,
  call: AuthorizedCall,
  message: Message,
  requestId: string,
  limit: ResponseLimit,
): Promise<RepeatedCall> {
  const description = "must be 1 to 128 visible ASCII characters";
  checkField(REQUEST_ID.test(requestId), "request_id", "REQUEST_ID_INVALID", description);
  const { incoming, caller } = call;
  const { now } = incoming.request;
  const { account, responseKey } = caller;
  const requestHash = hashRequest(call, message);

  const known = await store.storedResponses.find(account, requestId, now);
  if (known !== undefined) {
    if (!Buffer.from(known.requestHash).equals(requestHash)) {
      throw reused("was used for another request");
    }
    const content = decrypt(known.response, responseKey);
    if (content === undefined) throw reused("was used with another access token");
    return { response: repeatResponse(call, content) };
  }
  return {
    async keep(response) {
      const encrypted = encrypt(writeResponse(call, response), responseKey);
      const expireTime = new Date(now.getTime() + KEPT_MS);
      await store.storedResponses.keep(
        { account, requestId, requestHash, response: encrypted, expireTime },
        now,
      );
      const { length: bytes } = encrypted;
      await limit.count(store.storedResponses, account.organizationId, { bytes, expireTime });
    },
  };
}

function reused(why: string): DomainError {
  const error = new DomainError(Code.ALREADY_EXISTS, "REQUEST_ID_REUSED", `${why}; send a new one`);
  return withField("request_id", error);
}

/** Hashes the method, the payload of its message, and the organization of its ids. */
function hashRequest(call: AuthorizedCall, message: Message): Buffer {
  const { method } = call.incoming;
  const payload = findWriteFields(method)?.toPayload(message) ?? message;
  const name = `${method.parent.typeName}/${method.name}`;
  const parts = [name, toJson(method.input, payload), organizationOf(call)];
  return hash("sha256", JSON.stringify(parts, sortKeys), "buffer");
}

/** Sorts the keys of an object: their order does not distinguish requests. */
function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function writeResponse({ incoming }: AuthorizedCall, message: Message): Buffer {
  const { method, responseHeaders } = incoming;
  const headers = HEADERS.flatMap((name) => {
    const value = responseHeaders[name];
    return value === undefined ? [] : [[name, value]];
  });
  const body = Buffer.from(toBinary(method.output, message)).toString("base64");
  return Buffer.from(JSON.stringify({ headers, body }));
}

/** Sets the headers of a stored response and returns its message. */
function repeatResponse({ incoming }: AuthorizedCall, content: Buffer): Message {
  const { headers, body } = JSON.parse(content.toString()) as {
    headers: [string, string][];
    body: string;
  };
  Object.assign(incoming.responseHeaders, Object.fromEntries(headers));
  return fromBinary(incoming.method.output, Buffer.from(body, "base64"), CHECKED_DEPTH);
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives the key that encrypts stored responses from an access token, which is not stored itself. */
export function toResponseKey(token: string): Uint8Array {
  return createHmac("sha256", token).update("marquee sealed answer").digest();
}

/** Encrypts and authenticates content with a key of 32 bytes. */
export function encrypt(content: Uint8Array, key: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts the output of `encrypt`; undefined with another key, or if any byte was changed or lost. */
export function decrypt(encrypted: Uint8Array, key: Uint8Array): Buffer | undefined {
  if (encrypted.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  try {
    decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
    const content = decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([content, decipher.final()]);
  } catch {
    return undefined;
  }
}
