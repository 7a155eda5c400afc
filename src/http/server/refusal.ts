import { Code, DomainError } from "../../domain/errors.ts";

/** An error that the HTTP layer raises and whose HTTP status its RPC code does not tell. */
export class Refusal extends DomainError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: Code,
    reason: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, reason, message);
    this.status = status;
    this.headers = headers;
  }
}

/** Creates the 404 of a path that nothing answers. */
export function unknownPath(): Refusal {
  return new Refusal(404, Code.NOT_FOUND, "PATH_UNKNOWN", "no method lies at this path");
}

/**
 * Creates the 404 of a procedure that is not here. Its code is that of a method that is not
 * implemented, in every protocol: clients take NOT_FOUND for a missing resource.
 */
export function unknownProcedure(): Refusal {
  return new Refusal(404, Code.UNIMPLEMENTED, "PATH_UNKNOWN", "no such method");
}

/** Creates the 405 of a path that has other HTTP methods. */
export function methodNotAllowed(allow: readonly string[]): Refusal {
  const allowed = allow.join(", ");
  return new Refusal(
    405,
    Code.UNIMPLEMENTED,
    "METHOD_NOT_ALLOWED",
    `this path answers ${allowed} only`,
    { allow: allowed },
  );
}

/** Creates the 505 of a call whose messages go both ways at once, which HTTP/1.1 cannot carry. */
export function unsupportedVersion(): Refusal {
  return new Refusal(
    505,
    Code.UNIMPLEMENTED,
    "HTTP_VERSION_NOT_SUPPORTED",
    "this method streams in both directions at once: call it over HTTP/2",
  );
}

/** Creates the 415 of a message in a form that is not understood; the text tells which ones are. */
export function unsupportedMediaType(message: string): Refusal {
  return new Refusal(415, Code.INVALID_ARGUMENT, "UNSUPPORTED_MEDIA_TYPE", message);
}

/** Creates the 413 of a body over the limit. */
export function bodyTooLarge(limit: number): Refusal {
  return new Refusal(
    413,
    Code.RESOURCE_EXHAUSTED,
    "BODY_TOO_LARGE",
    `the body is larger than ${limit} bytes`,
  );
}

/** Creates a 400 of a request that cannot be read. */
export function malformedRequest(reason: string, message: string): Refusal {
  return new Refusal(400, Code.INVALID_ARGUMENT, reason, message);
}

/** Creates the 408 of a request that takes too long to come. */
export function requestTooSlow(): Refusal {
  return new Refusal(
    408,
    Code.DEADLINE_EXCEEDED,
    "REQUEST_TIMEOUT",
    "the request is too slow to come",
  );
}

/** Creates the 414 of an address over the limit. */
export function urlTooLong(limit: number): Refusal {
  return new Refusal(
    414,
    Code.RESOURCE_EXHAUSTED,
    "URL_TOO_LONG",
    `the address is longer than ${limit} bytes`,
  );
}

/** Creates the 431 of headers over the limit. */
export function headersTooLarge(limit: number): Refusal {
  return new Refusal(
    431,
    Code.RESOURCE_EXHAUSTED,
    "HEADERS_TOO_LARGE",
    `the headers are larger than ${limit} bytes`,
  );
}

/** Creates the 417 of an Expect header that asks for something else than 100-continue. */
export function expectationFailed(): Refusal {
  return new Refusal(
    417,
    Code.INVALID_ARGUMENT,
    "EXPECTATION_FAILED",
    "Expect may ask for 100-continue only",
  );
}
