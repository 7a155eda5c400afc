/** Limits of the HTTP layer (contract: limits 1). Sizes in bytes, times in milliseconds. */
export const HTTP_LIMITS = {
  deliveryBody: 1024 * 1024,
  studioBody: 4 * 1024 * 1024,
  /** The body of a billing event, whose signature is checked after reading. */
  billingEventBody: 256 * 1024,
  /** The bytes of bodies that this process has in its memory … */
  bodies: 256 * 1024 * 1024,
  /** … without the first ones of each, so that short requests are served while long ones fill it. */
  uncountedBody: 64 * 1024,
  /** The bodies that are arriving at a time: beyond them, the one that began first is rejected. */
  arrivingBodies: 2_000,
  url: 16 * 1024,
  headers: 16 * 1024,
  /** The time for a client to send its headers, from their first byte. */
  headersTimeout: 10_000,
  /** The time for a client to send its whole request. */
  requestTimeout: 60_000,
  /** The time for a client to read a whole response. */
  responseTimeout: 60_000,
  /** The longest time that a client may take nothing of a response. */
  stallTimeout: 10_000,
  /** How long a connection without a request stays open. */
  idleTimeout: 75_000,
  /** The time for a client to reply to a ping on an idle HTTP/2 connection. */
  pingTimeout: 10_000,
  /** The interval between checks for slow HTTP/1.1 requests, and for slow readers. */
  checkInterval: 1_000,
  /** Concurrent connections of one listener. */
  connections: 20_000,
  /** Concurrent HTTP/2 streams of one connection. */
  streams: 200,
  /** Concurrent streaming calls of one connection … */
  streamingCallsPerConnection: 20,
  /** … and of all connections of this process. */
  streamingCalls: 1_000,
  /** Concurrent reads of records of this process: each has a snapshot of the database … */
  recordReads: 4,
  /** … and of one organization … */
  recordReadsPerOrganization: 2,
  /** … the bytes that a client takes in a second at least, in addition to `stallTimeout` … */
  recordReadRate: 64 * 1024,
  /** … and the time for a client to read them. */
  recordReadTimeout: 600_000,
  /** The bytes of a rejected request that are still read … */
  lingerBytes: 16 * 1024 * 1024,
  /** … and the time for reading them, so that the client sees the response. */
  lingerTime: 5_000,
  /** The longest deadline of a call; longer ones are capped. */
  deadline: 600_000,
} as const;
