import { lookup as lookUp } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress, type TargetRules } from "./target.ts";

/** Finds the addresses of a host's name, in the order in which they are tried. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** Why a name gave no address to connect to. */
export class LookupError extends Error {
  override readonly name = "LookupError";
  readonly reason: "NAME_NOT_FOUND" | "TARGET_NOT_ALLOWED";

  constructor(reason: LookupError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Codes that say that a name has no address, and not that asking for it failed. */
const NOT_FOUND: readonly unknown[] = ["ENOTFOUND", "ENODATA"];

/** Resolves a name as the machine does: with its hosts file and its name servers. */
export const resolveName: ResolveName = async (name) =>
  (await lookUp(name, { all: true })).map(({ address }) => address);

/**
 * Creates the look-up that a socket makes when it connects, so that it connects to addresses that
 * were checked and no others; it wants `autoSelectFamily`. One address that is not public makes it
 * refuse all: a name that leads into the own network as well is no name of a receiver.
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
