import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Code, DomainError } from "../../domain/errors.ts";
import type { RecordKind } from "../../domain/records/record.ts";
import type { RecordExport } from "../../storage/record-export.ts";
import { exportLines } from "../../transfer/export-file.ts";
import type { Exchange, StreamEndpoint } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { toFixedHeaders } from "../listener/send.ts";

/** The path of the records of a project. */
export const RECORDS_PATH = "/cms/records/v1:read";

/** Decides which records a request may read. */
export interface RecordAuthorizer {
  /** Returns the project and the kinds of the records; throws for a request that may not read them. */
  authorize(
    headers: Exchange["request"]["headers"],
    query: string,
    now: Date,
  ): Promise<{ readonly projectId: string; readonly kinds: readonly RecordKind[] }>;
}

/**
 * Creates `GET /cms/records/v1:read?project_id=…&kinds=…`, which streams the records of a project as an export has
 * them, one JSON object a line, from one snapshot. Two are read at the same time in a process; RESOURCE_EXHAUSTED
 * `STREAMS_EXHAUSTED` for another. A client that reads nothing for 10 seconds, or reads for more than 10 minutes, is
 * disconnected, and so is one whose stream fails: an incomplete response has no end.
 */
export function recordsEndpoint(store: RecordExport, reader: RecordAuthorizer): StreamEndpoint {
  let open = 0;
  return async (exchange) => {
    const { request, query, now } = exchange;
    const { projectId, kinds } = await reader.authorize(request.headers, query, now);
    if (open >= HTTP_LIMITS.recordReads) throw exhausted();
    open += 1;
    try {
      await exportLines(store, projectId, createWrite(exchange), { kinds });
      exchange.response.end();
      return undefined;
    } catch (error) {
      if (!exchange.response.headersSent) throw error;
      exchange.response.destroy();
      return undefined;
    } finally {
      open -= 1;
    }
  };
}

/** Returns the function that writes a part of the response, as fast as its reader takes it. */
function createWrite(exchange: Exchange): (bytes: Uint8Array) => Promise<void> {
  const { response, signal } = exchange;
  const end = AbortSignal.timeout(HTTP_LIMITS.recordReadTimeout);
  return async (bytes) => {
    if (!response.headersSent) {
      response.writeHead(200, {
        ...toFixedHeaders(exchange),
        "content-type": "application/x-ndjson",
        "cache-control": "private, no-store",
      });
    }
    signal.throwIfAborted();
    end.throwIfAborted();
    // Other requests run between two parts.
    if (response.write(bytes)) return setImmediate();
    const stall = AbortSignal.timeout(HTTP_LIMITS.stallTimeout);
    await once(response, "drain", { signal: AbortSignal.any([signal, end, stall]) });
  };
}

function exhausted(): DomainError {
  const limit = HTTP_LIMITS.recordReads;
  return new DomainError(
    Code.RESOURCE_EXHAUSTED,
    "STREAMS_EXHAUSTED",
    `records are read by ${limit} other requests; wait for one to end`,
    { metadata: { limit: String(limit) }, retryAfter: 5 },
  );
}
