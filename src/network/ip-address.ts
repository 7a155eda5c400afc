import { isIPv4, isIPv6, SocketAddress } from "node:net";

/** An IPv4 address mapped into IPv6, as a dual-stack socket reports it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * Parses an address, with or without brackets, a port or a zone, and returns its canonical form: IPv4, also if
 * it was mapped into IPv6, or compressed lower-case IPv6. Undefined for an invalid address.
 */
export function parseAddress(text: string): string | undefined {
  const bare = stripPort(text.trim());
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const { address } = new SocketAddress({ address: bare, family: "ipv6" });
  return MAPPED.exec(address)?.[1] ?? address;
}

/** Returns the family of an address in the notation of Node's block lists. */
export function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}

/** Removes the port that some proxies add: `1.2.3.4:5678`, `[2001:db8::1]:5678`. */
function stripPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed !== null) return bracketed[1] ?? "";
  return /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}
