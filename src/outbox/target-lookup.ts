import { lookup as lookUp } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress, type TargetRules } from "./target.ts";

/** Resolves a host name to addresses, in the order in which they are tried. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** A name without an address to connect to. */
export class LookupError extends Error {
  override readonly name = "LookupError";
  readonly reason: "NAME_NOT_FOUND" | "TARGET_NOT_ALLOWED";

  constructor(reason: LookupError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Error codes of a name without addresses, as opposed to a failed lookup. */
const NOT_FOUND: readonly unknown[] = ["ENOTFOUND", "ENODATA"];

/** Resolves a name with the resolver of the operating system. */
export const resolveName: ResolveName = async (name) =>
  (await lookUp(name, { all: true })).map(({ address }) => address);

/**
 * Creates the lookup function of a socket, so that it connects to checked addresses only; requires
 * `autoSelectFamily`. A single address that is not public refuses the name: a legitimate receiver does not
 * also resolve to the private network.
 */
export function createTargetLookup(
  resolve: ResolveName,
  { allowPrivate }: TargetRules,
): LookupFunction {
  const find = async (name: string) => {
    const addresses = await resolve(name).catch((cause: NodeJS.ErrnoException) => {
      if (!NOT_FOUND.includes(cause.code)) throw cause;
      throw new LookupError("NAME_NOT_FOUND", "the host has no address", { cause });
    });
    if (addresses.length === 0) throw new LookupError("NAME_NOT_FOUND", "the host has no address");
    if (!allowPrivate && !addresses.every(isPublicAddress)) {
      const message = "the host has an address that is not on the public internet";
      throw new LookupError("TARGET_NOT_ALLOWED", message);
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return (name, _options, callback) => {
    find(name).then(
      (addresses) => callback(null, addresses),
      (fault) => callback(fault, []),
    );
  };
}
