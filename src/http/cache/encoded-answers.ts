import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { CORS_HEADERS } from "../server/cors.ts";
import type { Answer } from "../server/exchange.ts";
import type { Coding } from "./accept-encoding.ts";
import { toTaggedAnswer, toUnmodifiedAnswer } from "./conditional-get.ts";

/** Answers at least this large are compressed. */
export const COMPRESS_MIN_BYTES = 1_024;

/** Measured on a list of 22 kB: 2.9 kB in 0.3 ms; the default quality 11 takes 32 ms for 2.5 kB. */
const BROTLI_QUALITY = 5;

const compressors = { gzip: promisify(gzip), br: promisify(brotliCompress) };

/** Alternating names and values, the form that Node writes without checking it again. */
export type RawHeaders = readonly string[];

/** A whole answer of a procedure in one content coding, whose raw headers are computed once. */
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

  /** All headers of the 304 to a client that already has the answer. */
  get rawUnmodifiedHeaders(): RawHeaders {
    this.#unmodified ??= toRaw(toUnmodifiedAnswer(this).headers);
    return this.#unmodified;
  }
}

/**
 * One answer in the content codings that callers accept: each is encoded off this thread when first
 * requested, once for all concurrent callers, and has its own entity tag.
 */
export class EncodedAnswers {
  /** The unencoded answer. */
  readonly original: Answer;
  readonly #isCompressible: boolean;
  readonly #made = new Map<Coding, EncodedAnswer>();
  readonly #making = new Map<Coding, Promise<EncodedAnswer>>();
  #bytes: number;

  constructor(original: Answer) {
    const { status, headers, body } = original;
    this.original = original;
    // A handler's entity tag identifies a state rather than bytes, so its answer is never encoded.
    this.#isCompressible =
      status === 200 && body.length >= COMPRESS_MIN_BYTES && headers.etag === undefined;
    this.#bytes = body.length;
  }

  /** The total size of the encoded bodies, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the answer in a coding if it is already encoded; one not worth compressing stays in `identity`.
   */
  find(coding: Coding): EncodedAnswer | undefined {
    return this.#made.get(this.#isCompressible ? coding : "identity");
  }

  /** Returns the answer in a coding, and encodes it if necessary. */
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
  // A copy: the compressor's buffer is larger than its content and would be kept whole.
  const body = Buffer.allocUnsafeSlow(compressed.length);
  body.set(compressed);
  return { ...answer, headers: { ...answer.headers, "content-encoding": coding }, body };
}

function toRaw(headers: Answer["headers"]): RawHeaders {
  return Object.entries({ ...CORS_HEADERS, ...headers }).flat();
}
