import { Code, DomainError, type Reason } from "../../domain/base/errors.ts";

/** An error of the HTTP layer, whose HTTP status does not follow from its RPC code. */
export class Rejection extends DomainError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: Code,
    reason: Reason,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, reason, message);
    this.status = status;
    this.headers = headers;
  }
}

/** Creates the 404 of an unknown path. */
export function unknownPath(): Rejection {
  return new Rejection(404, Code.NOT_FOUND, "PATH_UNKNOWN", "no such path");
}

/**
 * Creates the 404 of an unknown procedure. Its code is UNIMPLEMENTED, in every protocol: clients take
 * NOT_FOUND for a missing resource.
 */
export function unknownProcedure(): Rejection {
  return new Rejection(404, Code.UNIMPLEMENTED, "PATH_UNKNOWN", "no such method");
}

/** Creates the 405 of a path that has other HTTP methods. */
export function methodNotAllowed(allow: readonly string[]): Rejection {
  const allowed = allow.join(", ");
  return new Rejection(
    405,
    Code.UNIMPLEMENTED,
    "METHOD_NOT_ALLOWED",
    `this path allows ${allowed} only`,
    { allow: allowed },
  );
}

/** Creates the 505 of a bidirectional streaming call over HTTP/1.1. */
export function unsupportedVersion(): Rejection {
  return new Rejection(
    505,
    Code.UNIMPLEMENTED,
    "HTTP_VERSION_NOT_SUPPORTED",
    "this method streams in both directions at once: call it over HTTP/2",
  );
}

/** Creates the 415 of a message in an unsupported form; `message` says which are supported. */
export function unsupportedMediaType(message: string): Rejection {
  return new Rejection(415, Code.INVALID_ARGUMENT, "UNSUPPORTED_MEDIA_TYPE", message);
}

/** Creates the 413 of a body over the limit. */
export function bodyTooLarge(limit: number): Rejection {
  return new Rejection(
    413,
    Code.RESOURCE_EXHAUSTED,
    "BODY_TOO_LARGE",
    `the body is larger than ${limit} bytes`,
  );
}

/** Creates the 400 of a malformed request. */
export function malformedRequest(reason: Reason, message: string): Rejection {
  return new Rejection(400, Code.INVALID_ARGUMENT, reason, message);
}

/** Creates the 408 of a request that is sent too slowly. */
export function requestTooSlow(): Rejection {
  return new Rejection(
    408,
    Code.DEADLINE_EXCEEDED,
    "REQUEST_TIMEOUT",
    "the request was sent too slowly",
  );
}

/** Creates the 414 of a target over the limit. */
export function urlTooLong(limit: number): Rejection {
  return new Rejection(
    414,
    Code.RESOURCE_EXHAUSTED,
    "URL_TOO_LONG",
    `the URL is longer than ${limit} bytes`,
  );
}

/** Creates the 431 of headers over the limit. */
export function headersTooLarge(limit: number): Rejection {
  return new Rejection(
    431,
    Code.RESOURCE_EXHAUSTED,
    "HEADERS_TOO_LARGE",
    `the headers are larger than ${limit} bytes`,
  );
}

/** Creates the 429 of a client over its rate limit; `retryAfter` is in seconds. */
export function rateLimited(retryAfter: number): Rejection {
  return new Rejection(
    429,
    Code.RESOURCE_EXHAUSTED,
    "RATE_LIMITED",
    `too many requests; retry in ${retryAfter} s`,
    { "retry-after": String(retryAfter) },
  );
}

/** Creates the 503 of a server with too many requests in progress; `retryAfter` is in seconds. */
export function overloaded(retryAfter: number): Rejection {
  return new Rejection(
    503,
    Code.UNAVAILABLE,
    "OVERLOADED",
    "the server has too many requests in progress",
    { "retry-after": String(retryAfter) },
  );
}

/** Creates the 417 of an Expect header other than 100-continue. */
export function expectationFailed(): Rejection {
  return new Rejection(
    417,
    Code.INVALID_ARGUMENT,
    "EXPECTATION_FAILED",
    "Expect may ask for 100-continue only",
  );
}

/** Creates the error of a call whose client has closed the connection. It is never sent. */
export function clientGone(): DomainError {
  return new DomainError(Code.CANCELLED, "CLIENT_GONE", "the client has closed the connection");
}

/** Creates the error of a call that exceeds its deadline. */
export function deadlinePassed(): DomainError {
  return new DomainError(
    Code.DEADLINE_EXCEEDED,
    "DEADLINE_PASSED",
    "the call took longer than its deadline allows",
  );
}
