import type { Coding } from "../../../src/http/cache/accept-encoding.ts";
import { EncodedAnswers } from "../../../src/http/cache/encoded-answers.ts";
import type { FreshAnswer, SharedRead } from "../../../src/http/cache/response-cache.ts";
import { encodingOf } from "../../../src/http/connect/unary-form.ts";

/** A read of a message in Connect's JSON. */
export function readIn(coding: Coding): SharedRead {
  return {
    projectId: "p",
    path: "/x",
    form: "{}",
    encoding: encodingOf({ protocol: "connect", codec: "json" }, coding),
    now: new Date(0),
    signal: new AbortController().signal,
  };
}

/** An answer of these bytes that any cache may keep. */
export function toFresh(message: Uint8Array): FreshAnswer {
  return {
    answers: new EncodedAnswers({
      headers: { "cache-control": "public" },
      trailers: {},
      codec: "json",
      message,
      transcode: (bytes) => bytes,
      isTagged: true,
    }),
  };
}
