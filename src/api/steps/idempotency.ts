import { hash } from "node:crypto";
import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import type { UnaryRequest, UnaryResponse } from "@connectrpc/connect";
import { Code, DomainError, invalidField } from "../../domain/errors.ts";
import { CHECKED_DEPTH } from "../../domain/messages/recursion-limit.ts";
import type { Store } from "../../storage/store.ts";
import { decrypt, encrypt } from "./answer-encryption.ts";
import {
  getAccount,
  getAnswerKey,
  getOrganizationId,
  getRequest,
  type RepeatedAnswer,
} from "./call.ts";
import { findWriteFields } from "./write-fields.ts";

/** The time for which an answer is repeated, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;

/** The form of a request id: visible ASCII. */
const REQUEST_ID = /^[!-~]{1,128}$/;

/** The headers that are repeated with an answer. */
const HEADERS = ["etag", "marquee-warnings"];

/** A call that may have been made before. */
export interface RepeatedCall {
  /** The first answer, if there is one. */
  readonly answer?: RepeatedAnswer;
  /** Stores the first answer. */
  keep(response: UnaryResponse): Promise<void>;
}

/**
 * Finds the answer to an earlier call with the same `request_id`; an empty id finds none. INVALID_ARGUMENT
 * `REQUEST_ID_INVALID`; ALREADY_EXISTS `REQUEST_ID_REUSED` if that call was different or made with another
 * access token: an answer may hold a secret, so only the token that received it decrypts it.
 */
export async function openRepeatedCall(
  store: Store,
  request: UnaryRequest,
  requestId: string,
): Promise<RepeatedCall> {
  if (requestId === "") return { keep: async () => {} };
  if (!REQUEST_ID.test(requestId)) {
    throw invalidField(
      "request_id",
      "REQUEST_ID_INVALID",
      "it is 1 to 128 visible ASCII characters",
    );
  }
  const { contextValues } = request;
  const { now } = getRequest(contextValues);
  const account = getAccount(contextValues);
  const key = getAnswerKey(contextValues);
  const requestHash = hashRequest(request);

  const known = await store.answeredRequests.find(account, requestId, now);
  if (known !== undefined) {
    if (!Buffer.from(known.requestHash).equals(requestHash)) {
      throw reused("it was used for another request");
    }
    const content = decrypt(known.answer, key);
    if (content === undefined) throw reused("it was used with another access token");
    return { answer: readAnswer(request, content), keep: async () => {} };
  }
  return {
    async keep(response) {
      const answer = encrypt(writeAnswer(request, response), key);
      const expireTime = new Date(now.getTime() + KEPT_MS);
      await store.answeredRequests.keep(
        { account, requestId, requestHash, answer, expireTime },
        now,
      );
    },
  };
}

function reused(why: string): DomainError {
  return new DomainError(
    Code.ALREADY_EXISTS,
    "REQUEST_ID_REUSED",
    `request_id: ${why}; choose another`,
    { metadata: { field: "request_id" } },
  );
}

/** Hashes the method, the payload of its message, and the organization in which its ids are looked up. */
function hashRequest({ method, message, contextValues }: UnaryRequest): Buffer {
  const payload = findWriteFields(method)?.toPayload(message) ?? message;
  const name = `${method.parent.typeName}/${method.name}`;
  const parts = [name, toJson(method.input, payload), getOrganizationId(contextValues)];
  return hash("sha256", JSON.stringify(parts, sortKeys), "buffer");
}

/** Sorts the keys of an object, as their order does not distinguish requests. */
function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function writeAnswer({ method }: UnaryRequest, { message, header }: UnaryResponse): Buffer {
  const headers = HEADERS.flatMap((name) => {
    const value = header.get(name);
    return value === null ? [] : [[name, value]];
  });
  const body = Buffer.from(toBinary(method.output, message)).toString("base64");
  return Buffer.from(JSON.stringify({ headers, body }));
}

function readAnswer({ method }: UnaryRequest, content: Buffer): RepeatedAnswer {
  const { headers, body } = JSON.parse(content.toString()) as {
    headers: [string, string][];
    body: string;
  };
  return {
    headers,
    message: fromBinary(method.output, Buffer.from(body, "base64"), CHECKED_DEPTH),
  };
}
