import { CORS_HEADERS } from "../server/cors.ts";
import type { Answer } from "../server/exchange.ts";
import { toUnmodifiedAnswer } from "./conditional-get.ts";

/** Names and values in turns, as Node writes them without another look. */
export type RawHeaders = readonly string[];

/** A whole answer of a procedure that is sent more than once: its headers are made ready once. */
export class Representation implements Answer {
  readonly status: number;
  readonly headers: Answer["headers"];
  readonly body: Uint8Array;
  #whole: RawHeaders | undefined;
  #unmodified: RawHeaders | undefined;

  constructor({ status, headers, body }: Answer) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** All headers of the answer. */
  get rawHeaders(): RawHeaders {
    this.#whole ??= toRaw({ ...this.headers, "content-length": String(this.body.length) });
    return this.#whole;
  }

  /** All headers of the 304 to who has the answer already. */
  get rawUnmodifiedHeaders(): RawHeaders {
    this.#unmodified ??= toRaw(toUnmodifiedAnswer(this).headers);
    return this.#unmodified;
  }
}

function toRaw(headers: Answer["headers"]): RawHeaders {
  return Object.entries({ ...CORS_HEADERS, ...headers }).flat();
}
