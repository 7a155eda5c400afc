import { BlockList } from "node:net";
import { familyOf, parseAddress } from "./ip-address.ts";

/** The addresses that share their first `prefix` bits. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
}

/** The bits of a mapped address before those of IPv4. */
const MAPPED_BITS = 96;

/** Parses a network in CIDR notation, `10.0.0.0/8`, or a single address; undefined if invalid. */
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

/** Creates a predicate that reports whether a canonical address is in one of the networks. */
export function createNetworkTest(networks: readonly Network[]): (address: string) => boolean {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const { address, prefix } of networks) list.addSubnet(address, prefix, familyOf(address));
  return (address) => list.check(address, familyOf(address));
}
