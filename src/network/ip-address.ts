import { isIPv4, isIPv6, SocketAddress } from "node:net";

/** An IPv4 address behind `::ffff:`, as a socket that listens for both versions tells it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * Reads an address, with or without brackets, a port or a zone, and writes it in its one form: IPv4,
 * also where it is mapped into IPv6, or IPv6 in lower case with its longest run of zeros left out.
 * `undefined` if it is none.
 */
export function parseAddress(text: string): string | undefined {
  const bare = stripPort(text.trim());
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const { address } = new SocketAddress({ address: bare, family: "ipv6" });
  return MAPPED.exec(address)?.[1] ?? address;
}

/** Tells an address's family, as Node's block lists want it. */
export function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}

/** Some proxies write the port too: `1.2.3.4:5678`, `[2001:db8::1]:5678`. */
function stripPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed !== null) return bracketed[1] ?? "";
  return /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}
