import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { grpcStatusOk } from "@connectrpc/connect/protocol-grpc";
import { toConnectTrailers } from "../connect/connect-trailers.ts";
import { Payload } from "../connect/payload.ts";
import { type Codec, type Encoding, encodingOf } from "../connect/unary-form.ts";
import { CORS_HEADERS } from "../server/cors.ts";
import type { Answer } from "../server/exchange.ts";
import { ReadyHead } from "../server/ready-head.ts";
import type { Coding } from "./accept-encoding.ts";
import { toTag, toUnmodifiedAnswer } from "./conditional-get.ts";

/** Answers at least this large are compressed. */
export const COMPRESS_MIN_BYTES = 1_024;

/** Measured on a list of 22 kB: 2.9 kB in 0.3 ms; the default quality 11 takes 32 ms for 2.5 kB. */
const BROTLI_QUALITY = 5;

const compressors = { gzip: promisify(gzip), br: promisify(brotliCompress) };

/** A whole answer of a procedure in one encoding, whose head is made once. */
export class EncodedAnswer implements Answer {
  readonly status = 200;
  readonly headers: Answer["headers"];
  readonly body: Uint8Array;
  readonly trailers?: Readonly<Record<string, string>>;
  #head: ReadyHead | undefined;
  #unmodifiedHead: ReadyHead | undefined;

  constructor({ headers, body, trailers }: Omit<Answer, "status">) {
    this.headers = headers;
    this.body = body;
    if (trailers !== undefined) this.trailers = trailers;
  }

  /** The head of the answer. */
  get head(): ReadyHead {
    this.#head ??= new ReadyHead(200, {
      ...CORS_HEADERS,
      ...this.headers,
      // No length with trailers: HTTP/1.1 sends them only with chunked encoding.
      ...(this.trailers === undefined && { "content-length": String(this.body.length) }),
    });
    return this.#head;
  }

  /** The head of the 304 to a client that already has the answer. */
  get unmodifiedHead(): ReadyHead {
    this.#unmodifiedHead ??= new ReadyHead(304, {
      ...CORS_HEADERS,
      ...toUnmodifiedAnswer(this).headers,
    });
    return this.#unmodifiedHead;
  }
}

/** What a call returned, before it is written in an encoding. */
export interface CallResult {
  /** The headers, without those that describe the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly trailers: Readonly<Record<string, string>>;
  /** The message in one codec … */
  readonly codec: Codec;
  readonly message: Uint8Array;
  /** … and its conversion from that codec to the other. */
  readonly transcode: (message: Uint8Array) => Uint8Array;
  /** True if Connect answers without an entity tag get one of their bytes. */
  readonly isTagged: boolean;
}

/**
 * One answer in the encodings that its callers accept. Each codec and compression of the message is made when
 * first requested, once for all concurrent callers and all protocols; compression runs off this thread.
 */
export class EncodedAnswers {
  readonly headers: CallResult["headers"];
  readonly #result: Omit<CallResult, "message">;
  readonly #original: Payload;
  readonly #webTrailers: string;
  readonly #payloads = new Map<string, Promise<Payload>>();
  readonly #answers = new Map<Encoding, EncodedAnswer>();
  #bytes: number;

  constructor({ message, ...result }: CallResult) {
    this.headers = result.headers;
    this.#result = result;
    this.#webTrailers = toLines({ "grpc-status": grpcStatusOk, ...result.trailers });
    this.#original = new Payload(message, this.#webTrailers);
    this.#bytes = BASE_BYTES + sizeOf(this.headers) + this.#original.size;
  }

  /** The approximate size in memory, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the answer in an encoding if it is already written. */
  find(encoding: Encoding): EncodedAnswer | undefined {
    return this.#answers.get(encoding);
  }

  /**
   * Returns the answer in an encoding, and writes it if necessary; one not worth compressing stays in
   * `identity`.
   */
  async in(encoding: Encoding): Promise<EncodedAnswer> {
    const known = this.#answers.get(encoding);
    if (known !== undefined) return known;
    const { codec, coding } = encoding;
    const plain = codec === this.#result.codec ? this.#original : await this.#plain(codec);
    const isPlain = coding === "identity" || !this.#isCompressible(plain, encoding);
    const answer = isPlain
      ? (this.#answers.get(encodingOf(encoding, "identity")) ??
        this.#frame(plain, encoding, "identity"))
      : this.#frame(await this.#compressed(plain, codec, coding), encoding, coding);
    this.#answers.set(encoding, answer);
    if (isPlain) this.#answers.set(encodingOf(encoding, "identity"), answer);
    return answer;
  }

  /** A handler's entity tag identifies a state rather than bytes, so its answer to Connect is never encoded. */
  #isCompressible({ message }: Payload, { protocol }: Encoding): boolean {
    const isTagged = protocol === "connect" && this.headers.etag !== undefined;
    return message.length >= COMPRESS_MIN_BYTES && !isTagged;
  }

  /** Returns the message in the codec other than that of the call. */
  #plain(codec: Codec): Promise<Payload> {
    return this.#once(codec, async () => {
      const message = this.#result.transcode(this.#original.message);
      return new Payload(message, this.#webTrailers);
    });
  }

  #compressed(plain: Payload, codec: Codec, coding: "br" | "gzip"): Promise<Payload> {
    return this.#once(`${codec} ${coding}`, async () => {
      const message = await compress(plain.message, coding);
      return new Payload(message, this.#webTrailers, true);
    });
  }

  /** Makes a payload on first demand. A failure is retried. */
  #once(key: string, make: () => Promise<Payload>): Promise<Payload> {
    const known = this.#payloads.get(key);
    if (known !== undefined) return known;
    const making = make().then((payload) => {
      this.#bytes += payload.size;
      return payload;
    });
    this.#payloads.set(key, making);
    making.catch(() => this.#payloads.delete(key));
    return making;
  }

  #frame(payload: Payload, { protocol, codec, isKeyed }: Encoding, coding: Coding): EncodedAnswer {
    const { headers, trailers, isTagged } = this.#result;
    this.#bytes += ANSWER_BYTES;
    if (protocol !== "grpc") this.#bytes += HEAD_TEXT_BYTES + sizeOf(headers);
    const body = payload.bodyIn(protocol);
    const isCompressed = coding !== "identity";
    switch (protocol) {
      case "connect":
        return new EncodedAnswer({
          headers: {
            "content-type": `application/${codec}`,
            ...(isCompressed && { "content-encoding": coding }),
            ...headers,
            // Without an Authorization header on which the answer could depend.
            ...(isKeyed && headers.vary !== undefined && { vary: "Accept-Encoding" }),
            ...toConnectTrailers(trailers),
            ...(isTagged && headers.etag === undefined && { etag: toTag(body) }),
          },
          body,
        });
      default: {
        const answer = {
          headers: {
            "content-type": `application/${protocol}+${codec}`,
            ...(isCompressed && { "grpc-encoding": coding }),
            ...headers,
          },
          body,
        };
        // gRPC-Web has its trailers in the body.
        return new EncodedAnswer(
          protocol === "grpc"
            ? { ...answer, trailers: { "grpc-status": grpcStatusOk, ...trailers } }
            : answer,
        );
      }
    }
  }
}

async function compress(message: Uint8Array, coding: "br" | "gzip"): Promise<Uint8Array> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: message.length,
  };
  return compressors[coding](message, { params });
}

/** The approximate size of answers without their headers and messages … */
const BASE_BYTES = 896;

/** … of each encoded answer without its message … */
const ANSWER_BYTES = 896;

/** … and of its head as a text, without the values of its headers. */
const HEAD_TEXT_BYTES = 512;

function sizeOf(headers: CallResult["headers"]): number {
  return Object.values(headers).reduce((sum, value) => sum + value.length, 0);
}

function toLines(trailers: Readonly<Record<string, string>>): string {
  return Object.entries(trailers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
