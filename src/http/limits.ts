import type { DescService } from "@bufbuild/protobuf";

/** Limits of the HTTP layer (CONTRACT 7). Sizes in bytes, times in milliseconds. */
export const HTTP_LIMITS = {
  deliveryBody: 1024 * 1024,
  managementBody: 4 * 1024 * 1024,
  url: 16 * 1024,
  headers: 16 * 1024,
  /** A client has this long to send its headers, from its first byte on. */
  headersTimeout: 10_000,
  /** A client has this long to send its whole request. */
  requestTimeout: 60_000,
  /** A connection without a request is closed after this long. */
  idleTimeout: 75_000,
  /** Connections at the same time on one listener. */
  connections: 20_000,
  /** HTTP/2 streams at the same time on one connection. */
  streams: 200,
  /** After a refused body, this much of it is read … */
  lingerBytes: 16 * 1024 * 1024,
  /** … for this long, so that the client gets to see the answer. */
  lingerTime: 5_000,
  /** The longest deadline that a call may ask for; longer ones count as this. */
  deadline: 600_000,
} as const;

/** Tells how large a request of a service may be. */
export function bodyLimitOf(service: DescService): number {
  return service.typeName.startsWith("svc.studio.")
    ? HTTP_LIMITS.managementBody
    : HTTP_LIMITS.deliveryBody;
}
