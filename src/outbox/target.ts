import { BlockList, isIP, isIPv4, type LookupFunction } from "node:net";
import { Code, DomainError } from "../domain/base/errors.ts";
import { trimEnd } from "../domain/base/text.ts";
import { type ResolveName, SLOW_NAME, toLookup, UNKNOWN_NAME } from "../network/resolve-name.ts";

/** The maximum length of a target URL, in characters. */
const MAX_LENGTH = 2_048;

/** An http or https URL with a host, without characters that parsers treat differently: spaces, `\`. */
const WEB_URL = /^https?:\/\/[^\s\p{Cc}\\/?#][^\s\p{Cc}\\]*$/iu;

/** A user or password before the host, even an empty one. */
const CREDENTIALS = /^[^:]+:\/\/[^/?#]*@/;

/** Names of this machine and its network. */
const INTERNAL_NAME = /(^|\.)(localhost|local|internal)$/;

/** The IPv4 networks that are not public unicast addresses, according to IANA's registry. */
const SPECIAL_IPV4 = createBlockList("ipv4", [
  ["0.0.0.0", 8], // This network, and the unspecified address.
  ["10.0.0.0", 8], // Private.
  ["100.64.0.0", 10], // Shared by the customers of a provider (CGNAT).
  ["127.0.0.0", 8], // Loopback.
  ["168.63.129.16", 32], // Azure's platform service, public in form only.
  ["169.254.0.0", 16], // Link-local, with the metadata services of clouds.
  ["172.16.0.0", 12], // Private.
  ["192.0.0.0", 24], // Protocols of the IETF.
  ["192.0.2.0", 24], // Documentation.
  ["192.88.99.0", 24], // Relays of 6to4.
  ["192.168.0.0", 16], // Private.
  ["198.18.0.0", 15], // Benchmarks.
  ["198.51.100.0", 24], // Documentation.
  ["203.0.113.0", 24], // Documentation.
  ["224.0.0.0", 4], // Multicast.
  ["240.0.0.0", 4], // Reserved, and broadcast.
]);

/**
 * The IPv6 network allocated to the public internet. It excludes the unspecified address, loopback, mapped
 * (`::ffff:0:0/96`) and translated (`64:ff9b::/96`) IPv4. It also excludes discard-only, unique local, link-local and
 * multicast addresses.
 */
const GLOBAL_IPV6 = createBlockList("ipv6", [["2000::", 3]]);

/** The networks within it that are not public unicast addresses. */
const SPECIAL_IPV6 = createBlockList("ipv6", [
  ["2001::", 23], // Protocols of the IETF, with Teredo, which embeds IPv4.
  ["2001:db8::", 32], // Documentation.
  ["2002::", 16], // 6to4, which embeds IPv4.
  ["3fff::", 20], // Documentation.
]);

/** Origins on this machine by their alias, such as `http://receiver.demo.internal`. */
export type LocalTargets = ReadonlyMap<string, string>;

/** The rules for targets. */
export interface TargetRules {
  /** Allows http and hosts of the private network; for development. */
  readonly allowPrivate: boolean;
  /** Aliases of origins on this machine, such as the demo's receiver; default: none. */
  readonly local?: LocalTargets;
}

/**
 * Checks the target of a webhook and returns the URL to connect to. The IP addresses of a host name are checked
 * later, when the webhook is sent.
 *
 * INVALID_ARGUMENT `TARGET_INVALID` unless it is an absolute http or https URL of at most 2048 characters without a
 * user, a password or a fragment.
 *
 * FAILED_PRECONDITION `TARGET_NOT_ALLOWED`, unless `allowPrivate`:
 * - if it is not https,
 * - if its host is `localhost` or ends in `.localhost`, `.local` or `.internal`,
 * - if its host is an IP address, in any notation, that is not public.
 */
export function checkTarget(text: string, { allowPrivate, local }: TargetRules): URL {
  if (text.length > MAX_LENGTH) throw invalid(`more than ${MAX_LENGTH} characters`);
  const url = WEB_URL.test(text) ? URL.parse(text) : null;
  if (url === null) throw invalid("must be an absolute http or https URL");
  if (CREDENTIALS.test(text)) throw invalid("must not contain a user or password");
  if (text.includes("#")) throw invalid("must not contain a fragment");
  const origin = local?.get(url.origin);
  if (origin !== undefined) return new URL(url.pathname + url.search, origin);
  if (allowPrivate) return url;
  if (url.protocol !== "https:") throw notAllowed("must be https");
  const host = toHost(url);
  const isPrivate = isIP(host) === 0 ? INTERNAL_NAME.test(host) : !isPublicAddress(host);
  if (isPrivate) throw notAllowed("the host must be on the public internet");
  return url;
}

/** Returns the host of a URL without the brackets of IPv6 and without a trailing dot. */
export function toHost({ hostname }: URL): string {
  return trimEnd(hostname.replace(/^\[|\]$/g, ""), ".");
}

/** Reports whether a text is a public unicast IP address. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !SPECIAL_IPV4.check(ip, "ipv4");
  // A zone refers to a link of this machine.
  if (isIP(ip) === 0 || ip.includes("%")) return false;
  return GLOBAL_IPV6.check(ip, "ipv6") && !SPECIAL_IPV6.check(ip, "ipv6");
}

/** Says how a target of the private network is allowed. */
const PRIVATE_HINT = "for development, --actions-allow-private allows it";

function createBlockList(
  family: "ipv4" | "ipv6",
  networks: readonly (readonly [address: string, prefix: number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, family);
  return list;
}

function invalid(error: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, "TARGET_INVALID", `invalid target: ${error}`);
}

function notAllowed(error: string): DomainError {
  const message = `target not allowed: ${error}; ${PRIVATE_HINT}`;
  return new DomainError(Code.FAILED_PRECONDITION, "TARGET_NOT_ALLOWED", message);
}

/** A name without an IP address to connect to. */
export class LookupError extends Error {
  override readonly name = "LookupError";
  readonly reason: "NAME_NOT_FOUND" | "NAME_TIMEOUT" | "TARGET_NOT_ALLOWED";

  constructor(reason: LookupError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Resolves and checks a host once, and creates the lookup function of its socket, which therefore connects to checked
 * IP addresses only. It requires `autoSelectFamily`. A single address that is not public rejects the name: a
 * legitimate receiver does not also resolve to the private network.
 */
export async function createTargetLookup(
  host: string,
  resolve: ResolveName,
  { allowPrivate, signal }: TargetRules & { readonly signal: AbortSignal },
): Promise<LookupFunction> {
  // An IP address in the URL was checked with the URL. A socket looks it up if dots follow it there.
  if (isIP(host) !== 0) return toLookup([host]);
  const addresses = await resolve(host, signal).catch(explain);
  if (addresses.length === 0) throw notFound();
  if (!allowPrivate && !addresses.every(isPublicAddress)) {
    const message = "the host has an IP address that is not on the public internet";
    throw new LookupError("TARGET_NOT_ALLOWED", `${message}; ${PRIVATE_HINT}`);
  }
  return toLookup(addresses);
}

function explain(cause: NodeJS.ErrnoException): never {
  if (UNKNOWN_NAME.includes(cause.code)) throw notFound(cause);
  if (SLOW_NAME.includes(cause.code)) {
    throw new LookupError("NAME_TIMEOUT", "the host's name was not resolved in time", { cause });
  }
  throw cause;
}

function notFound(cause?: unknown): LookupError {
  return new LookupError("NAME_NOT_FOUND", "the host has no IP address", { cause });
}
