import { BlockList } from "node:net";
import { familyOf, parseAddress } from "./ip-address.ts";

/** All addresses that have their first `prefix` bits in common. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
}

/** How many bits of a mapped address come before those of IPv4. */
const MAPPED_BITS = 96;

/** Reads a network in the notation of CIDR, `10.0.0.0/8`, or a single address; `undefined` if it is none. */
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

/** Creates the test whether an address, in its one form, is in one of the networks. */
export function createNetworkTest(networks: readonly Network[]): (address: string) => boolean {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const { address, prefix } of networks) list.addSubnet(address, prefix, familyOf(address));
  return (address) => list.check(address, familyOf(address));
}
