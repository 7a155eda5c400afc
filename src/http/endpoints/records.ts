import { once } from "node:events";
import { constants } from "node:http2";
import { setImmediate } from "node:timers/promises";
import type { RecordReader } from "../../api/studio/record-reader.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import type { RecordExport } from "../../storage/contract/records.ts";
import { exportLines } from "../../transfer/export-file.ts";
import type { Exchange, Receiver } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { toFixedHeaders } from "../listener/send.ts";

/** The path of the records of a project. */
export const RECORDS_PATH = "/cms/records/v1:read";

/**
 * Creates `GET /cms/records/v1:read?project_id=…&kinds=…`, which streams the records of a project as an export has
 * them, one JSON object a line, from one snapshot. A process reads for four requests at the same time, and for two of one
 * organization; RESOURCE_EXHAUSTED `STREAMS_EXHAUSTED` for another. A client is disconnected if it
 * reads nothing for 10 seconds, less than 64 KiB a second, or for more than 10 minutes. If the stream fails, it is
 * disconnected, too: an incomplete response has no end.
 */
export function recordsEndpoint(
  store: RecordExport,
  reader: Pick<RecordReader, "authorize">,
  { stallTimeout }: { readonly stallTimeout: number } = HTTP_LIMITS,
): Receiver["receive"] {
  const open: string[] = [];
  return async (exchange) => {
    const { request, query, now } = exchange;
    const read = await reader.authorize(request.headers, query, now);
    const { organizationId, projectId, kinds } = read;
    const own = open.filter((id) => id === organizationId).length;
    const { recordReads, recordReadsPerOrganization } = HTTP_LIMITS;
    if (own >= recordReadsPerOrganization) throw exhausted(recordReadsPerOrganization);
    if (open.length >= recordReads) throw exhausted(recordReads);
    open.push(organizationId);
    try {
      await exportLines(store, projectId, createWrite(exchange, stallTimeout), { kinds });
      writeHead(exchange);
      exchange.response.end();
    } catch (error) {
      if (!exchange.response.headersSent) throw error;
      cut(exchange);
    } finally {
      open.splice(open.indexOf(organizationId), 1);
    }
    return undefined;
  };
}

/** Returns the function that writes a part of the response, as fast as its reader takes it. */
function createWrite(
  exchange: Exchange,
  stallTimeout: number,
): (bytes: Uint8Array) => Promise<void> {
  const { response, signal } = exchange;
  const end = AbortSignal.timeout(HTTP_LIMITS.recordReadTimeout);
  let [sent, waited] = [0, 0];
  return async (bytes) => {
    writeHead(exchange);
    signal.throwIfAborted();
    end.throwIfAborted();
    if (!response.write(bytes)) {
      const start = performance.now();
      const stall = AbortSignal.timeout(toPatience(sent, waited, stallTimeout));
      await once(response, "drain", { signal: AbortSignal.any([signal, end, stall]) });
      sent += bytes.length;
      waited += performance.now() - start;
    }
    // Other requests run between two parts, although a fast reader takes each at once.
    return setImmediate();
  };
}

/** Writes the headers of a response, unless they are written. */
function writeHead(exchange: Exchange): void {
  if (exchange.response.headersSent) return;
  exchange.response.writeHead(200, {
    ...toFixedHeaders(exchange),
    "content-type": "application/x-ndjson",
    "cache-control": "private, no-store",
  });
}

/** Ends a response in the middle, so that its client sees an error. */
function cut({ request: { stream }, response }: Exchange): void {
  // Over HTTP/2, a destroyed response would look complete.
  if (stream === undefined) response.destroy();
  else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/** Returns how long a reader that has taken `sent` bytes in `waited` milliseconds may take for more, in milliseconds. */
export function toPatience(sent: number, waited: number, stallTimeout: number): number {
  const left = stallTimeout + (sent / HTTP_LIMITS.recordReadRate) * 1_000 - waited;
  return Math.ceil(Math.min(stallTimeout, Math.max(0, left)));
}

function exhausted(limit: number): DomainError {
  const message = `records are read by ${limit} other requests; wait for one to end`;
  const metadata = { limit: String(limit) };
  const options = { metadata, retryAfter: 5 };
  return new DomainError(Code.RESOURCE_EXHAUSTED, "STREAMS_EXHAUSTED", message, options);
}
