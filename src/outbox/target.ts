import { BlockList, isIP, isIPv4 } from "node:net";
import { Code, DomainError } from "../domain/errors.ts";
import { trimEnd } from "../domain/messages/trim-end.ts";

/** How long an address of a target may be, in characters. */
const MAX_LENGTH = 2_048;

/** A host behind `http://` or `https://`, and nothing that readers disagree about: spaces, `\`. */
const WEB_URL = /^https?:\/\/[^\s\p{Cc}\\/?#][^\s\p{Cc}\\]*$/iu;

/** A user or password, even an empty one, before the host. */
const CREDENTIALS = /^[^:]+:\/\/[^/?#]*@/;

/** Names that mean this machine or the network that it stands in. */
const INTERNAL_NAME = /(^|\.)(localhost|local|internal)$/;

/** What of IPv4 is no unicast address of the public internet, by IANA's registry. */
const SPECIAL_IPV4 = createBlockList("ipv4", [
  ["0.0.0.0", 8], // this network, and the unspecified address
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // shared by the customers of a provider (CGNAT)
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // public in form only: Azure's own service for each machine
  ["169.254.0.0", 16], // link-local, where clouds tell a machine its credentials
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocols of the IETF
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // relays of 6to4
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
]);

/**
 * What of IPv6 is given out for the public internet. Outside of it are the unspecified address,
 * loopback, IPv4 that is mapped (`::ffff:0:0/96`) or translated (`64:ff9b::/96`), discard-only,
 * unique local, link-local and multicast addresses.
 */
const GLOBAL_IPV6 = createBlockList("ipv6", [["2000::", 3]]);

/** What of that is no unicast address of the public internet. */
const SPECIAL_IPV6 = createBlockList("ipv6", [
  ["2001::", 23], // protocols of the IETF, with Teredo, which embeds IPv4
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which embeds IPv4
  ["3fff::", 20], // documentation
]);

/** The origin that a URL names, such as `http://receiver.demo.internal`, to the one that it stands for. */
export type LocalTargets = ReadonlyMap<string, string>;

/** Where requests may go. */
export interface TargetRules {
  /** Whether http is allowed, and hosts inside of the own network; for development. */
  readonly allowPrivate: boolean;
  /** Origins that stand for origins of this machine, such as that of the demo's receiver; default: none. */
  readonly local?: LocalTargets;
}

/**
 * Checks where a webhook is to go, as far as its address tells; what a host's name resolves to is
 * checked when it is sent. Returns the URL to connect to.
 *
 * INVALID_ARGUMENT `TARGET_INVALID` unless it is an absolute http or https URL of at most 2048
 * characters without a user, a password or a fragment. FAILED_PRECONDITION `TARGET_NOT_ALLOWED`,
 * unless `allowPrivate`, if it is not https, or if its host is `localhost`, ends in `.localhost`,
 * `.local` or `.internal`, or is an address, in whatever spelling, that `isPublicAddress` denies.
 */
export function checkTarget(text: string, { allowPrivate, local }: TargetRules): URL {
  if (text.length > MAX_LENGTH) throw invalid(`it has more than ${MAX_LENGTH} characters`);
  const url = WEB_URL.test(text) ? URL.parse(text) : null;
  if (url === null) throw invalid("it is not an absolute http or https URL");
  if (CREDENTIALS.test(text)) throw invalid("it holds a user or a password");
  if (text.includes("#")) throw invalid("it holds a fragment");
  const origin = local?.get(url.origin);
  if (origin !== undefined) return new URL(url.pathname + url.search, origin);
  if (allowPrivate) return url;
  if (url.protocol !== "https:") throw notAllowed("it is not https");
  const host = toHost(url);
  const isPrivate = isIP(host) === 0 ? INTERNAL_NAME.test(host) : !isPublicAddress(host);
  if (isPrivate) throw notAllowed("its host is not on the public internet");
  return url;
}

/** Reads the host of a URL without the brackets of IPv6 and the dot that may end a name. */
export function toHost({ hostname }: URL): string {
  return trimEnd(hostname.replace(/^\[|\]$/g, ""), ".");
}

/** Tells whether it is a unicast address of the public internet; what is no address is not. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !SPECIAL_IPV4.check(ip, "ipv4");
  // A zone names a link of this machine.
  if (isIP(ip) === 0 || ip.includes("%")) return false;
  return GLOBAL_IPV6.check(ip, "ipv6") && !SPECIAL_IPV6.check(ip, "ipv6");
}

function createBlockList(
  family: "ipv4" | "ipv6",
  networks: readonly (readonly [address: string, prefix: number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, family);
  return list;
}

function invalid(fault: string): DomainError {
  return new DomainError(
    Code.INVALID_ARGUMENT,
    "TARGET_INVALID",
    `the target is refused: ${fault}`,
  );
}

function notAllowed(fault: string): DomainError {
  const message = `the target is not allowed: ${fault}`;
  return new DomainError(Code.FAILED_PRECONDITION, "TARGET_NOT_ALLOWED", message);
}
