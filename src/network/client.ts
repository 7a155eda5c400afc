import { createNetworkTest, type Network, parseAddress } from "./ip-address.ts";

/** The client of a request. */
export interface Client {
  /** In canonical form; empty if the connection is closed. */
  readonly address: string;
  /** True if headers with the viewer's location are trusted. */
  readonly trustsHeaders: boolean;
}

/** The parts of a request that identify its client. */
export interface Sender {
  /** The IP address of the other end of the connection. */
  readonly peer: string | undefined;
  /** The header X-Forwarded-For; several are joined by commas. */
  readonly forwardedFor: string | undefined;
}

/** Finds the client of a request. */
export type FindClient = (sender: Sender) => Client;

/**
 * Creates a function that finds the client behind trusted proxies. Each proxy appends the IP address of its peer to
 * X-Forwarded-For. The header is therefore read from the right, over the entries that trusted proxies wrote: the
 * first address that is not a trusted proxy is the client's. The header of an untrusted peer is ignored.
 *
 * Location headers are trusted from a trusted proxy. If no proxies are configured, they are trusted from every peer,
 * because configuring such a header implies that a proxy sets it.
 */
export function createFindClient(trustedProxies: readonly Network[]): FindClient {
  const isTrusted = createNetworkTest(trustedProxies);
  const trustsAnybody = trustedProxies.length === 0;
  return ({ peer = "", forwardedFor = "" }) => {
    let address = parseAddress(peer);
    if (address === undefined) return { address: "", trustsHeaders: false };
    if (!isTrusted(address)) return { address, trustsHeaders: trustsAnybody };
    for (const hop of forwardedFor.split(",").reverse()) {
      const before = parseAddress(hop);
      // An invalid entry makes all entries before it unreliable.
      if (before === undefined) break;
      address = before;
      if (!isTrusted(address)) break;
    }
    return { address, trustsHeaders: true };
  };
}
