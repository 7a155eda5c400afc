import type { JsonObject } from "@bufbuild/protobuf";
import { HERE } from "../here.ts";
import type { Transfer } from "./drawing/reads.ts";
import { parseObject } from "./drawing/text.ts";
import { isReplaced, readToken } from "./session.ts";

/** A failed call. */
export class ApiError extends Error {
  /** The HTTP status; 0: there was no response, or not one of Marquee. */
  readonly status: number;
  /** Such as `ETAG_MISMATCH`. */
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Descriptions by the path of a field, such as `event.start_time`. */
  readonly violations: ReadonlyMap<string, string>;

  constructor(status: number, { message, details = [] }: ErrorBody) {
    super(message ?? `HTTP ${status}`);
    this.status = status;
    // The Connect protocol puts what is readable into `debug`.
    const parts = details.map(({ debug, ...it }) => debug ?? it);
    const info = parts.find(({ reason }) => reason !== undefined);
    this.reason = info?.reason ?? "";
    this.metadata = info?.metadata ?? {};
    const violations = parts.flatMap((it) => it.field_violations ?? it.fieldViolations ?? []);
    this.violations = new Map(violations.map((it) => [it.field, it.description]));
  }
}

interface ErrorBody {
  readonly message?: string;
  readonly details?: readonly (ErrorDetail & { readonly debug?: ErrorDetail })[];
}

interface ErrorDetail {
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly field_violations?: readonly Violation[];
  readonly fieldViolations?: readonly Violation[];
}

interface Violation {
  readonly field: string;
  readonly description: string;
}

/** A call of the Studio API. */
export interface Call {
  /** Absent: GET, or POST with a body. */
  readonly method?: "PATCH" | "DELETE";
  /** With a slash at the beginning. */
  readonly path: string;
  /** Empty values are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** A response. */
export interface Reply {
  readonly body: JsonObject;
  /** Empty: the response has none. */
  readonly etag: string;
  /** The releases that will change the resource, such as `finals`. */
  readonly pendingReleases: readonly string[];
  /** Probable mistakes in the request. */
  readonly warnings: readonly Warning[];
  readonly transfer: Transfer;
}

/** A probable mistake in a request. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

const REPLACED =
  "Another tab has signed in as another account. Reload this page to go on as that one.";

/** Calls the Studio API over HTTP/JSON as the person who is signed in, or with the preview key. Rejects with an ApiError. */
export async function call({
  path,
  query = {},
  body,
  method,
  headers,
  signal,
}: Call): Promise<Reply> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const url = `${HERE}${path}${given.length > 0 ? `?${search}` : ""}`;
  const token = readToken();
  if (isReplaced()) throw new ApiError(401, { message: REPLACED });
  const start = performance.now();
  const [response, bytes, waiting] = await fetch(url, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    cache: "no-store",
    headers: {
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
    .then(async (it) => {
      const waiting = performance.now() - start;
      return [it, await it.arrayBuffer(), waiting] as const;
    })
    .catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      // The connection may also have broken after a write.
      throw new ApiError(0, { message: "The server cannot be reached. Try again." });
    });
  const milliseconds = performance.now() - start;
  const parsed = parseObject(new TextDecoder().decode(bytes));
  // A proxy writes errors in its own format.
  if (!response.ok) throw new ApiError(response.status, parsed ?? {});
  // The server may have written: to the caller, the response is lost.
  if (parsed === undefined)
    throw new ApiError(0, { message: "The response is not JSON. Try again." });
  return {
    body: parsed,
    etag: response.headers.get("etag") ?? "",
    pendingReleases: parseReleases(response.headers.get("x-pending-releases") ?? ""),
    warnings: JSON.parse(response.headers.get("marquee-warnings") ?? "[]"),
    transfer: {
      ...{ milliseconds, waiting },
      bytes: bytes.byteLength,
      cacheControl: response.headers.get("cache-control") ?? "",
      surrogateKeys: (response.headers.get("surrogate-key") ?? "").split(" ").filter(Boolean),
    },
  };
}

/** Creates a random id. `crypto.randomUUID` is not there without TLS, as in a company's own network. */
export function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (it) => it.toString(16).padStart(2, "0")).join("");
}

/** The newest creation whose response was lost, with its `request_id`. */
let lost: { readonly sent: string; readonly requestId: string } | undefined;

/** Creates a resource by POST. After a lost response, the same creation is the same call: nothing is created twice. */
export async function create(creation: Call): Promise<Reply> {
  const { path, query, body } = creation;
  const sent = JSON.stringify([path, query, body]);
  const requestId = lost?.sent === sent ? lost.requestId : createId();
  try {
    const reply = await call({ ...creation, query: { ...query, request_id: requestId } });
    lost = undefined;
    return reply;
  } catch (cause) {
    const isLost = cause instanceof ApiError && (cause.status === 0 || cause.status >= 500);
    lost = isLost ? { sent, requestId } : undefined;
    throw cause;
  }
}

/** Reads the ids of releases, such as those in `sale;2026-12-05T20:00:00Z, finals`. */
function parseReleases(header: string): readonly string[] {
  return header
    .split(/[\s,]+/)
    .map((it) => decodeURIComponent(it.replace(/;.*/, "")))
    .filter(Boolean);
}

/** Calls a read of the Delivery API as a preview of a project, through releases if there are any. */
export function preview(
  procedure: string,
  message: JsonObject,
  { projectId, release = "", headers = {}, signal }: PreviewOptions,
): Promise<Reply> {
  return call({
    path: `/${procedure}`,
    body: message,
    headers: {
      "connect-protocol-version": "1",
      "x-project-id": projectId,
      ...(release !== "" && { "x-release-id": release }),
      ...headers,
    },
    signal,
  });
}

/** The project of a preview, and how it is seen. */
export interface PreviewOptions {
  readonly projectId: string;
  /** The ids of releases, later ones on top, such as `finals,prices`; empty: the current version. */
  readonly release?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}
