import { parseAddress } from "./ip-address.ts";

/** How many groups of an IPv6 address a network hands to one customer: /64. */
const NETWORK_GROUPS = 4;

/** Behind what an IPv6 address is an IPv4 address that NAT64 has translated: six groups. */
const TRANSLATED = "64:ff9b:0:0:0:0";

/**
 * Writes what an address is bound by: an IPv4 address itself, of an IPv6 address its /64, in which
 * devices change their addresses by themselves. An IPv4 address in the form of IPv6
 * (`::ffff:192.0.2.1`, `64:ff9b::192.0.2.1`) is the IPv4 address. The same for every spelling;
 * undefined for what is no address.
 */
export function toAddressBlock(text: string): string | undefined {
  const address = parseAddress(text);
  if (address === undefined || !address.includes(":")) return address;
  const groups = readGroups(address);
  if (groups.slice(0, 6).join(":") === TRANSLATED) return toIpv4(groups.slice(6));
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

/** Reads the groups of an IPv6 address in its one form; those of an IPv4 address at its end are 0. */
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
