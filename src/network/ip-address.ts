import { isIPv4, isIPv6, SocketAddress } from "node:net";

/** An IPv4 address mapped into IPv6, as a dual-stack socket reports it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * Parses an address, with or without brackets, a port or a zone, and returns its canonical form: IPv4, also if
 * it was mapped into IPv6, or compressed lower-case IPv6. Undefined for an invalid address.
 */
export function parseAddress(text: string): string | undefined {
  // The address of a peer, once for each request.
  if (isIPv4(text)) return text;
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

/**
 * Returns the network that an address is counted by: its own for IPv4, that of 64 bits for IPv6, of which one
 * host has all addresses. Takes the canonical form.
 */
export function networkOf(address: string): string {
  if (familyOf(address) === "ipv4") return address;
  const [head = "", tail = ""] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === "" ? 0 : tail.split(":").length;
  const zeros = address.includes("::") ? 8 - groups.length - after : 0;
  const all = [...groups, ...Array.from({ length: zeros }, () => "0"), ...tail.split(":")];
  return all.slice(0, 4).join(":");
}

/** Removes the port that some proxies add: `1.2.3.4:5678`, `[2001:db8::1]:5678`. */
function stripPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed !== null) return bracketed[1] ?? "";
  return /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}
