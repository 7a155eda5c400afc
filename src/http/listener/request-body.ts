import { setImmediate } from "node:timers/promises";
import { Code } from "../../domain/base/errors.ts";
import { decompress, isSupported, type RequestCoding } from "./content-coding.ts";
import type { Exchange, NodeRequest } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import {
  bodyTooLarge,
  clientGone,
  Rejection,
  requestTooSlow,
  unsupportedMediaType,
} from "./rejection.ts";

/**
 * Reads the whole body of a request, decompressed, of at most `limit` bytes. A body whose declared length is
 * too large is rejected before it is read. Throws a Rejection: 413 `BODY_TOO_LARGE`, 400
 * `BODY_ENCODING_INVALID`, 408 `REQUEST_TIMEOUT`, and `CONTENT_ENCODING_UNSUPPORTED` with the status of the
 * protocol: 415 of HTTP, 501 of Connect.
 */
export async function readBody(
  exchange: Exchange,
  limit: number,
  unsupportedStatus: 415 | 501 = 415,
): Promise<Uint8Array> {
  const encoding = readEncoding(exchange.request, unsupportedStatus);
  const bytes = await readRawBody(exchange, limit);
  return encoding === "identity" ? bytes : decompress(bytes, encoding, limit);
}

/** The longest body that is read before its caller is known, in bytes. */
const MAX_ARRIVED = 4_096 + 5;

/**
 * Reads a short body that arrived with the headers, before anything else is known of a request. A body that is longer or
 * comes later stays where it is.
 */
export async function readArrivedBody(exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const { "content-length": length, expect } = request.headers;
  if (Number(length ?? 0) > MAX_ARRIVED || expect !== undefined) return;
  // HTTP/2 passes data on only after the first read.
  request.read(0);
  await setImmediate();
  const isWhole = request.stream === undefined ? request.complete : request.stream.readableEnded;
  if (!isWhole || request.destroyed || request.readableLength > MAX_ARRIVED) return;
  exchange.arrivedBody = (request.read() as Buffer | null) ?? NOTHING;
}

const NOTHING = Buffer.alloc(0);

/** Reads the whole body as sent. Throws a Rejection: 413 `BODY_TOO_LARGE`, 408. */
export async function readRawBody(exchange: Exchange, limit: number): Promise<Uint8Array> {
  const { request, arrivedBody } = exchange;
  if (arrivedBody !== undefined) return arrivedBody;
  if (Number(request.headers["content-length"] ?? 0) > limit) throw bodyTooLarge(limit);
  invite(exchange);
  return readBytes(request, limit);
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** Rejects a body of a media type other than JSON: 415 `UNSUPPORTED_MEDIA_TYPE`. */
export function checkJsonType({ headers }: NodeRequest): void {
  const type = headers["content-type"];
  if (type !== undefined && !JSON_TYPE.test(type)) {
    throw unsupportedMediaType("the body must be application/json");
  }
}

/** Sends 100 Continue to a client that waits for it (RFC 9110 10.1.1). */
export function invite({ request, response }: Exchange): void {
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
}

/** Reads the bytes. A rejection leaves the stream open: destroying it would lose the response. */
function readBytes(request: NodeRequest, limit: number): Promise<Uint8Array> {
  if (request.readableEnded) return Promise.resolve(new Uint8Array());
  // A short body over HTTP/1.1 arrives with its headers. To wait for it took 13 % of a cold POST.
  const isHere = request.stream === undefined && request.complete && !request.destroyed;
  if (isHere) return readArrived(request, limit);
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onClose);
      finish();
    };
    const onData = (chunk: Uint8Array) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) settle(() => reject(bodyTooLarge(limit)));
    };
    const onEnd = () => settle(() => resolve(join(chunks)));
    const onClose = () => settle(() => reject(clientGone()));
    const timer = setTimeout(
      () => settle(() => reject(requestTooSlow())),
      HTTP_LIMITS.requestTimeout,
    );
    if (request.destroyed) onClose();
    else request.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}

/** Reads a body that has arrived as a whole. */
async function readArrived(request: NodeRequest, limit: number): Promise<Uint8Array> {
  const body: Uint8Array = request.read() ?? new Uint8Array();
  if (body.length > limit) throw bodyTooLarge(limit);
  return body;
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

function readEncoding(request: NodeRequest, unsupportedStatus: number): "identity" | RequestCoding {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || isSupported(encoding)) return encoding;
  throw new Rejection(
    unsupportedStatus,
    Code.UNIMPLEMENTED,
    "CONTENT_ENCODING_UNSUPPORTED",
    `the encoding '${encoding}' is not supported; gzip, br and identity are`,
    { "accept-encoding": "gzip, br" },
  );
}
