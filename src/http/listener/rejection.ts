import {
  Code,
  DomainError,
  type DomainErrorExtras,
  type Reason,
} from "../../domain/base/errors.ts";
import { clip } from "../../domain/base/text.ts";
import { CORS_HEADERS } from "./cors.ts";
import type { Exchange } from "./exchange.ts";

interface RejectionExtras extends Pick<DomainErrorExtras, "retryAfter"> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error of the HTTP layer, whose HTTP status does not follow from its RPC code. */
export class Rejection extends DomainError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: Code,
    reason: Reason,
    message: string,
    { headers = {}, ...extras }: RejectionExtras = {},
  ) {
    super(code, reason, message, extras);
    this.status = status;
    this.headers = headers;
  }
}

const { CANCELLED, DEADLINE_EXCEEDED, INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED } = Code;
const { UNAVAILABLE, UNIMPLEMENTED } = Code;

/** Creates the errors of the HTTP layer: each row has the status, code, reason, message and headers of one. */
export const httpError = {
  malformedRequest: (reason: Reason, message: string) =>
    new Rejection(400, INVALID_ARGUMENT, reason, message),
  /** `near` is the path that is probably meant, if there is one; `only` is the API of a listener that serves one. */
  unknownPath: (
    { method, path }: Pick<Exchange, "method" | "path">,
    near?: string,
    only?: string,
  ) => {
    const message = `no route for ${method} ${clip(path)}${suggestPath(near, only)}`;
    // For a page whose base URL is wrong.
    return new Rejection(404, NOT_FOUND, "PATH_UNKNOWN", message, { headers: CORS_HEADERS });
  },
  /** Its code is UNIMPLEMENTED, in every protocol: clients take NOT_FOUND for a missing resource. */
  unknownProcedure: (path: string, near?: string, only?: string) => {
    const message = `no method ${clip(path)}${suggestPath(near, only)}`;
    return new Rejection(404, UNIMPLEMENTED, "PATH_UNKNOWN", message);
  },
  /** `verbs` are those that the path may end with. */
  methodNotAllowed: (methods: readonly string[], verbs: readonly string[] = []) => {
    const allow = methods.join(", ");
    const others =
      verbs.length === 0 ? "" : `; its verbs: ${verbs.map((it) => `:${it}`).join(", ")}`;
    const message = `this path allows ${allow} only${others}`;
    return new Rejection(405, UNIMPLEMENTED, "METHOD_NOT_ALLOWED", message, { headers: { allow } });
  },
  unknownMethod: () =>
    new Rejection(501, UNIMPLEMENTED, "METHOD_NOT_ALLOWED", "the HTTP method is unknown"),
  requestTooSlow: () =>
    new Rejection(408, DEADLINE_EXCEEDED, "REQUEST_TIMEOUT", "the request was sent too slowly"),
  bodyTooLarge: (limit: number) =>
    new Rejection(
      413,
      RESOURCE_EXHAUSTED,
      "BODY_TOO_LARGE",
      `the body is larger than ${limit} bytes`,
    ),
  urlTooLong: (limit: number) =>
    new Rejection(414, RESOURCE_EXHAUSTED, "URL_TOO_LONG", `the URL is longer than ${limit} bytes`),
  /** `message` says which types are supported. */
  unsupportedMediaType: (message: string) =>
    new Rejection(415, INVALID_ARGUMENT, "UNSUPPORTED_MEDIA_TYPE", message),
  /** `status` is of the protocol: 415 of HTTP, 501 of Connect. */
  unsupportedEncoding: (encoding: string, status: 415 | 501) =>
    new Rejection(
      status,
      UNIMPLEMENTED,
      "CONTENT_ENCODING_UNSUPPORTED",
      `the encoding '${encoding}' is not supported; gzip, br and identity are`,
      { headers: { "accept-encoding": "gzip, br" } },
    ),
  expectationFailed: () =>
    new Rejection(
      417,
      INVALID_ARGUMENT,
      "EXPECTATION_FAILED",
      "Expect may ask for 100-continue only",
    ),
  /** `retryAfter` is in seconds. */
  rateLimited: (retryAfter: number) =>
    new Rejection(
      429,
      RESOURCE_EXHAUSTED,
      "RATE_LIMITED",
      `too many requests; retry in ${retryAfter} s`,
      { retryAfter },
    ),
  streamsExhausted: (scope: "connection" | "server", limit: number) =>
    new Rejection(
      429,
      RESOURCE_EXHAUSTED,
      "STREAMS_EXHAUSTED",
      `too many streaming calls on this ${scope}, at most ${limit} are open at the same time; end one first`,
    ),
  headersTooLarge: (limit: number) =>
    new Rejection(
      431,
      RESOURCE_EXHAUSTED,
      "HEADERS_TOO_LARGE",
      `the headers are larger than ${limit} bytes`,
    ),
  /** `retryAfter` is in seconds. */
  overloaded: (retryAfter: number) =>
    new Rejection(503, UNAVAILABLE, "OVERLOADED", "the server has too many requests in progress", {
      retryAfter,
    }),
  unsupportedVersion: () =>
    new Rejection(
      505,
      UNIMPLEMENTED,
      "HTTP_VERSION_NOT_SUPPORTED",
      "this method streams in both directions at once: call it over HTTP/2",
    ),
  /** It is never sent, because the client has closed the connection. */
  clientGone: () =>
    new DomainError(CANCELLED, "CLIENT_GONE", "the client has closed the connection"),
  deadlinePassed: () =>
    new DomainError(
      DEADLINE_EXCEEDED,
      "DEADLINE_PASSED",
      "the call took longer than its deadline allows",
    ),
};

function suggestPath(near: string | undefined, only: string | undefined): string {
  if (near) return `; did you mean ${clip(near)}?`;
  return only ? `; this port serves the ${only} only` : "";
}
