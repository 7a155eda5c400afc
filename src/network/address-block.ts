import { parseAddress } from "./ip-address.ts";

/** The groups of an IPv6 address that identify one customer's network: /64. */
const NETWORK_GROUPS = 4;

/** The prefix of IPv4 addresses translated by NAT64: six groups. */
const TRANSLATED = "64:ff9b:0:0:0:0";

/**
 * Returns the block that identifies the owner of an address: an IPv4 address itself, or the /64 of an IPv6
 * address, within which devices change their addresses. An IPv4 address in IPv6 notation
 * (`::ffff:192.0.2.1`, `64:ff9b::192.0.2.1`) counts as IPv4. All notations of an address have the same
 * block; undefined for an invalid address.
 */
export function toAddressBlock(text: string): string | undefined {
  const address = parseAddress(text);
  if (address === undefined || !address.includes(":")) return address;
  const groups = readGroups(address);
  if (groups.slice(0, 6).join(":") === TRANSLATED) return toIpv4(groups.slice(6));
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

/** Splits a canonical IPv6 address into its groups; those of a trailing IPv4 address are 0. */
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
