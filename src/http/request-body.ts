import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { Code } from "../domain/errors.ts";
import type { Exchange, NodeRequest, NodeResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { bodyTooLarge, malformedRequest, Refusal } from "./refusal.ts";

const decompressors = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
};

/**
 * Reads the whole body of a request, decompressed; a limit counts decompressed bytes. A body that
 * says it is too large is refused before it is read. Throws a Refusal: 413 `BODY_TOO_LARGE`, 400
 * `BODY_ENCODING_INVALID`, 415 `CONTENT_ENCODING_UNSUPPORTED`.
 */
export async function readBody(
  { request, response }: Exchange,
  limit: number,
): Promise<Uint8Array> {
  const encoding = readEncoding(request);
  if (Number(request.headers["content-length"] ?? 0) > limit) throw bodyTooLarge(limit);
  if (request.headers.expect === "100-continue") response.writeContinue();
  const bytes = await readBytes(request, limit);
  if (encoding === "identity" || bytes.length === 0) return bytes;
  try {
    return await decompressors[encoding](bytes, { maxOutputLength: limit });
  } catch (cause) {
    if (cause instanceof RangeError) throw bodyTooLarge(limit);
    throw malformedRequest("BODY_ENCODING_INVALID", `the body is not valid ${encoding}`);
  }
}

/** Tells whether the client is still sending a body that nobody is going to read. */
export function isUnread(request: NodeRequest): boolean {
  return !request.complete;
}

/**
 * Ends an answer whose request was not read to its end. What still comes is read and thrown away, up
 * to a bound in bytes and time, and then the connection is closed: so the client sees the answer,
 * and no later request can get caught behind the rest of this one.
 */
export function lingerAndClose(request: NodeRequest, response: NodeResponse): void {
  const { stream } = request;
  if (stream !== undefined) {
    response.end(() => stream.close());
    return;
  }
  let left = HTTP_LIMITS.lingerBytes;
  const finish = () => {
    clearTimeout(timer);
    request.removeAllListeners("data");
    response.end(() => request.socket.destroy());
  };
  const timer = setTimeout(finish, HTTP_LIMITS.lingerTime);
  request.on("data", (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) finish();
  });
  request.once("end", finish);
  request.once("close", finish);
  request.resume();
}

async function readBytes(request: NodeRequest, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The stream must outlive a refusal: destroying it would take the answer away with it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Uint8Array).length;
    if (size > limit) throw bodyTooLarge(limit);
    chunks.push(chunk as Uint8Array);
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

function readEncoding(request: NodeRequest): "identity" | keyof typeof decompressors {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "gzip" || encoding === "br") return encoding;
  throw new Refusal(
    415,
    Code.UNIMPLEMENTED,
    "CONTENT_ENCODING_UNSUPPORTED",
    `the encoding '${encoding}' is not supported; gzip, br and identity are`,
    { "accept-encoding": "gzip, br" },
  );
}
