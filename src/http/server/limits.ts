import type { DescService } from "@bufbuild/protobuf";
import { isManagement } from "../../domain/messages/interfaces.ts";

/** Limits of the HTTP layer (CONTRACT 7). Sizes in bytes, times in milliseconds. */
export const HTTP_LIMITS = {
  deliveryBody: 1024 * 1024,
  managementBody: 4 * 1024 * 1024,
  /** Of an event of a billing provider, which is read before its signature is checked. */
  billingEventBody: 256 * 1024,
  url: 16 * 1024,
  headers: 16 * 1024,
  /** A client has this long to send its headers, from its first byte on. */
  headersTimeout: 10_000,
  /** A client has this long to send its whole request. */
  requestTimeout: 60_000,
  /** A client has this long to take an answer that is there. */
  answerTimeout: 60_000,
  /** A connection without a request is closed after this long. */
  idleTimeout: 75_000,
  /** A client whose HTTP/2 connection is quiet has this long to answer a ping. */
  pingTimeout: 10_000,
  /** How often slow HTTP/1.1 requests are looked for. */
  checkInterval: 1_000,
  /** Connections at the same time on one listener. */
  connections: 20_000,
  /** HTTP/2 streams at the same time on one connection. */
  streams: 200,
  /** Streaming calls at the same time on one connection … */
  streamingCallsPerConnection: 20,
  /** … and on all connections of this process. */
  streamingCalls: 1_000,
  /** After a refused request, this much of it is read … */
  lingerBytes: 16 * 1024 * 1024,
  /** … for this long, so that the client gets to see the answer. */
  lingerTime: 5_000,
  /** The longest deadline that a call may ask for; longer ones count as this. */
  deadline: 600_000,
} as const;

/** Tells how large a request of a service may be. */
export function bodyLimitOf(service: DescService): number {
  return isManagement(service) ? HTTP_LIMITS.managementBody : HTTP_LIMITS.deliveryBody;
}
