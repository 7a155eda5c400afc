import { BlockList, isIPv4, isIPv6, SocketAddress } from "node:net";

/** An IPv4 address mapped into IPv6, as a dual-stack socket reports it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * Parses an IP address, with or without brackets, a port or a zone, and returns its canonical form: IPv4, also if it
 * was mapped into IPv6, or compressed lower-case IPv6. Undefined for an invalid address.
 */
export function parseAddress(text: string): string | undefined {
  // The common case: the IP address of a peer, parsed once for each request.
  if (isIPv4(text)) return text;
  const bare = stripPort(text.trim());
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const { address } = new SocketAddress({ address: bare, family: "ipv6" });
  return MAPPED.exec(address)?.[1] ?? address;
}

/** Returns the family of an IP address in the notation of Node's block lists. */
function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}

/** The groups of an IPv6 address that identify one customer's network: /64. */
const NETWORK_GROUPS = 4;

/** The prefix of IPv4 addresses translated by NAT64: six groups. */
const TRANSLATED = "64:ff9b:0:0:0:0";

/**
 * Returns the block that identifies the owner of an IP address: an IPv4 address itself, or the /64 of an IPv6
 * address, because devices change their addresses inside it. An IPv4 address in IPv6 notation (`::ffff:192.0.2.1`,
 * `64:ff9b::192.0.2.1`) counts as IPv4. All notations of an address have the same block; undefined for an invalid
 * address.
 */
export function toAddressBlock(text: string): string | undefined {
  const address = parseAddress(text);
  if (address === undefined || !address.includes(":")) return address;
  const groups = readGroups(address);
  if (groups.slice(0, 6).join(":") === TRANSLATED) return toIpv4(groups.slice(6));
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

/** Splits a canonical IPv6 address into its groups; a trailing IPv4 address becomes groups of 0. */
function readGroups(address: string): string[] {
  const [head = [], tail] = address
    .replace(/[\d.]+\.\d+$/, "0:0")
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  if (tail === undefined) return head;
  return [...head, ...new Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
}

function toIpv4(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

/** Removes the port that some proxies add: `1.2.3.4:5678`, `[2001:db8::1]:5678`. */
function stripPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed !== null) return bracketed[1] ?? "";
  return /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/** The IP addresses that share their first `prefix` bits. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
}

/** The bits of a mapped address before its IPv4 part. */
const MAPPED_BITS = 96;

/** Parses a network in CIDR notation, `10.0.0.0/8`, or a single IP address; undefined if invalid. */
export function parseNetwork(text: string): Network | undefined {
  const [, given = "", bits] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const address = given.includes(".") && !given.includes(":") ? given : `[${given}]`;
  const known = parseAddress(address);
  if (known === undefined) return undefined;
  const most = familyOf(known) === "ipv6" ? 128 : 32;
  const isMapped = most === 32 && given.includes(":");
  const prefix = bits === undefined ? most : Number(bits) - (isMapped ? MAPPED_BITS : 0);
  return prefix >= 0 && prefix <= most ? { address: known, prefix } : undefined;
}

/** Creates a predicate that reports whether a canonical IP address is in one of the networks. */
export function createNetworkTest(networks: readonly Network[]): (address: string) => boolean {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const { address, prefix } of networks) list.addSubnet(address, prefix, familyOf(address));
  return (address) => list.check(address, familyOf(address));
}
