import { setImmediate } from "node:timers/promises";
import type { DomainError } from "../../domain/base/errors.ts";
import { decompress, isSupported, type RequestCoding } from "./content-coding.ts";
import type { Exchange, NodeRequest } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { httpError } from "./rejection.ts";

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

/** Reads the whole body as sent. Throws a Rejection: 413 `BODY_TOO_LARGE`, 408, 503 `OVERLOADED`. */
export async function readRawBody(exchange: Exchange, limit: number): Promise<Uint8Array> {
  const { request, arrivedBody } = exchange;
  if (arrivedBody !== undefined) return arrivedBody;
  if (Number(request.headers["content-length"] ?? 0) > limit) throw httpError.bodyTooLarge(limit);
  invite(exchange);
  if (request.readableEnded) return NOTHING;
  // A short body over HTTP/1.1 arrives with its headers. To wait for it took 13 % of a cold POST.
  const isHere = request.stream === undefined && request.complete && !request.destroyed;
  const body = isHere
    ? ((request.read() as Buffer | null) ?? NOTHING)
    : await receive(exchange, limit);
  if (body.length > limit) throw httpError.bodyTooLarge(limit);
  return body;
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** Rejects a body of a media type other than JSON: 415 `UNSUPPORTED_MEDIA_TYPE`. */
export function checkJsonType({ headers }: NodeRequest): void {
  const type = headers["content-type"];
  if (type !== undefined && !JSON_TYPE.test(type)) {
    throw httpError.unsupportedMediaType("the body must be application/json");
  }
}

/** Sends 100 Continue to a client that waits for it; one of HTTP/1.0 would take it for the response (RFC 9110 10.1.1). */
export function invite({ request, response }: Exchange): void {
  if (request.httpVersion === "1.0") return;
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
}

/** A body that is arriving. */
interface ArrivingBody {
  /** Its bytes without the first ones. */
  counted: number;
  /** Reads no more of it. */
  reject(why: DomainError): void;
}

/** The bodies that are arriving; the one that began first is the first. */
const arriving = new Set<ArrivingBody>();

/** The bytes of bodies whose responses are not closed, without the first ones of each. */
let counted = 0;

/** How long a client waits for room for its body, in seconds. */
const RETRY_AFTER = 1;

/**
 * Receives the bytes of a body, up to the chunk that exceeds its limit. Its request is not in progress while its client sends
 * it. If too many bodies are arriving, or all take too much memory, those that began first are rejected. A rejection leaves
 * the stream open: destroying it would lose the response.
 */
async function receive(exchange: Exchange, limit: number): Promise<Uint8Array> {
  exchange.load.leave(exchange);
  const body = await receiveChunks(exchange, limit);
  exchange.load.enter(exchange);
  return body;
}

function receiveChunks({ request, response }: Exchange, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const count = (bytes: number) => {
      counted += bytes - body.counted;
      body.counted = bytes;
    };
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onClose);
      arriving.delete(body);
      finish();
      chunks.length = 0;
    };
    const discard = (why: DomainError) =>
      settle(() => {
        count(0);
        reject(why);
      });
    const body: ArrivingBody = { counted: 0, reject: discard };
    const onData = (chunk: Uint8Array) => {
      size += chunk.length;
      chunks.push(chunk);
      count(Math.max(size - HTTP_LIMITS.uncountedBody, 0));
      if (size > limit) onEnd();
      else makeRoom();
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks)));
    const onClose = () => discard(httpError.clientGone());
    const timer = setTimeout(() => discard(httpError.requestTooSlow()), HTTP_LIMITS.requestTimeout);
    response.once("close", () => count(0));
    arriving.add(body);
    if (arriving.size > HTTP_LIMITS.arrivingBodies) {
      const [first] = arriving;
      first?.reject(httpError.requestTooSlow());
    }
    if (request.destroyed) onClose();
    else request.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}

/** Rejects bodies that are arriving until all bodies have room. */
function makeRoom(): void {
  for (const body of arriving) {
    if (counted <= HTTP_LIMITS.bodies) return;
    if (body.counted > 0) body.reject(httpError.overloaded(RETRY_AFTER));
  }
}

function readEncoding(
  request: NodeRequest,
  unsupportedStatus: 415 | 501,
): "identity" | RequestCoding {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || isSupported(encoding)) return encoding;
  throw httpError.unsupportedEncoding(encoding, unsupportedStatus);
}
