import { parseAddress } from "./ip-address.ts";
import { createNetworkTest, type Network } from "./network.ts";

/** Who sent a request. */
export interface Client {
  /** In its one form; empty if the connection is gone. */
  readonly address: string;
  /** Whether headers in which a proxy tells a viewer's place are believed. */
  readonly trustsHeaders: boolean;
}

/** What of a request tells who sent it. */
export interface Sender {
  /** The other end of the connection. */
  readonly peer: string | undefined;
  /** The header X-Forwarded-For; of several, all their values joined by commas. */
  readonly forwardedFor: string | undefined;
}

/** Finds who sent a request. */
export type FindClient = (sender: Sender) => Client;

/**
 * Creates the search for the client behind trusted proxies. Each proxy adds the address that it got a
 * request from to the right of X-Forwarded-For, so the header is read from there, and only as far as
 * trusted proxies wrote it: the first address that is none of theirs is the client's, whatever it
 * says of others. From an untrusted peer, or where no proxy is trusted, the header says nothing.
 *
 * Other headers are believed from a trusted peer. Where none is named, they are believed from
 * everybody: whoever has a header read says by that alone that a proxy sets it.
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
      // What is no address hides whatever stands before it.
      if (before === undefined) break;
      address = before;
      if (!isTrusted(address)) break;
    }
    return { address, trustsHeaders: true };
  };
}
