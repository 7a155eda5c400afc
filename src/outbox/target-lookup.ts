import { isIP, type LookupFunction } from "node:net";
import { type ResolveName, SLOW_NAME, toLookup, UNKNOWN_NAME } from "../network/resolve-name.ts";
import { isPublicAddress, PRIVATE_HINT, type TargetRules } from "./target.ts";

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
  // An IP address in the URL was checked with the URL, and a socket does not look it up.
  const addresses = isIP(host) === 0 ? await resolve(host, signal).catch(explain) : [];
  if (isIP(host) === 0 && addresses.length === 0) throw notFound();
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
