import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { CORS_HEADERS } from "../server/cors.ts";
import type { Answer } from "../server/exchange.ts";
import type { Coding } from "./accept-encoding.ts";
import { toTaggedAnswer, toUnmodifiedAnswer } from "./conditional-get.ts";

/** Answers at least this large are compressed. */
const COMPRESS_MIN_BYTES = 1_024;

/** Measured on a list of 22 kB: 0.3 ms for 2.9 kB; quality 11, the default, 32 ms for 2.5 kB. */
const BROTLI_QUALITY = 5;

const compressors = { gzip: promisify(gzip), br: promisify(brotliCompress) };

/** Names and values in turns, the form that Node writes without checking it again. */
export type RawHeaders = readonly string[];

/** A whole answer of a procedure in one content coding, whose raw headers are made once. */
export class EncodedAnswer implements Answer {
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

  /** All headers of the 304 to a client that has the answer already. */
  get rawUnmodifiedHeaders(): RawHeaders {
    this.#unmodified ??= toRaw(toUnmodifiedAnswer(this).headers);
    return this.#unmodified;
  }
}

/**
 * One answer in the content codings that callers accept: each is made for the first caller who asks, off
 * this thread and once however many wait for it, and has its own entity tag.
 */
export class EncodedAnswers {
  /** The answer as it was made, not encoded. */
  readonly original: Answer;
  readonly #isCompressible: boolean;
  readonly #made = new Map<Coding, EncodedAnswer>();
  readonly #making = new Map<Coding, Promise<EncodedAnswer>>();
  #bytes: number;

  constructor(original: Answer) {
    const { status, headers, body } = original;
    this.original = original;
    // An entity tag of a handler names a state and not bytes, so what carries one is never encoded.
    this.#isCompressible =
      status === 200 && body.length >= COMPRESS_MIN_BYTES && headers.etag === undefined;
    this.#bytes = body.length;
  }

  /** The bytes of the bodies in all codings that were made. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Finds the answer in a coding, if it was made; one that is not worth compressing is in `identity`. */
  find(coding: Coding): EncodedAnswer | undefined {
    return this.#made.get(this.#isCompressible ? coding : "identity");
  }

  /** Gets the answer in a coding. */
  in(coding: Coding): Promise<EncodedAnswer> {
    const actual = this.#isCompressible ? coding : "identity";
    const known = this.#making.get(actual);
    if (known !== undefined) return known;
    const making = this.#make(actual);
    this.#making.set(actual, making);
    making.catch(() => this.#making.delete(actual));
    return making;
  }

  async #make(coding: Coding): Promise<EncodedAnswer> {
    const answer = coding === "identity" ? this.original : await compress(this.original, coding);
    const made = new EncodedAnswer(toTaggedAnswer(answer));
    this.#made.set(coding, made);
    if (made.body !== this.original.body) this.#bytes += made.body.length;
    return made;
  }
}

async function compress(answer: Answer, coding: "br" | "gzip"): Promise<Answer> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: answer.body.length,
  };
  const compressed = await compressors[coding](answer.body, { params });
  // The compressor's own buffer is larger than what it holds, and would be kept whole.
  const body = Buffer.allocUnsafeSlow(compressed.length);
  body.set(compressed);
  return { ...answer, headers: { ...answer.headers, "content-encoding": coding }, body };
}

function toRaw(headers: Answer["headers"]): RawHeaders {
  return Object.entries({ ...CORS_HEADERS, ...headers }).flat();
}
