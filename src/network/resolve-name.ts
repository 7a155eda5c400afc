import { BADNAME, CANCELLED, NODATA, NOTFOUND, Resolver, TIMEOUT } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP, type LookupFunction } from "node:net";

/** The time limit of a name, in milliseconds. */
export const NAME_LIMIT = 5_000;

/** The time for the first try of a question, which grows with each, and the number of tries. */
const TRIES = { timeout: 1_000, tries: 3 };

/**
 * Resolves a host name to IP addresses, in the order of connection attempts, until `signal` aborts. Fails with an
 * Error whose `code` is one of {@link UNKNOWN_NAME} or {@link SLOW_NAME}, or the code of another error.
 */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** The codes of a name without IP addresses, as opposed to a failed lookup. */
export const UNKNOWN_NAME: readonly unknown[] = [NOTFOUND, NODATA, BADNAME];

/** The codes of a name that was not resolved in time. */
export const SLOW_NAME: readonly unknown[] = [TIMEOUT, CANCELLED];

/** The name servers and files of a resolver; absent: the operating system's. */
export interface NameSources {
  /** Name servers, as `192.0.2.1:53`. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  /** The file with the search domains of short names. */
  readonly resolverFile?: string;
  /** In milliseconds; default 5 seconds. */
  readonly limit?: number;
}

/**
 * Creates a function that resolves names like the operating system: by the hosts file, then by DNS, first unchanged
 * and then in the search domains. Unlike `dns.lookup` it uses none of the few threads of the process, so that names
 * without a reply do not delay others. It always ends on time.
 */
export function createResolveName({
  servers,
  hostsFile = "/etc/hosts",
  resolverFile = "/etc/resolv.conf",
  limit = NAME_LIMIT,
}: NameSources = {}): ResolveName {
  return async (name, signal) => {
    const fixed = (await readRows(hostsFile)).flatMap(([address = "", ...names]) =>
      isIP(address) !== 0 && names.includes(name) ? [address] : [],
    );
    if (fixed.length > 0) return fixed;
    const searches = (await readRows(resolverFile)).findLast(([key]) => key === "search") ?? [];

    signal.throwIfAborted();
    const resolver = new Resolver(TRIES);
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    const timer = setTimeout(cancel, limit);
    signal.addEventListener("abort", cancel);
    try {
      return await resolveFirst(resolver, [
        name,
        ...searches.slice(1).map((domain) => `${name}.${domain}`),
      ]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  };
}

/** Returns the lookup function of a socket that connects to known IP addresses only, at least one. */
export function toLookup(addresses: readonly string[]): LookupFunction {
  const resolved = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = resolved;
  return (_name, { all }, callback) =>
    queueMicrotask(() => {
      if (all === true) callback(null, resolved);
      else callback(null, first?.address ?? "", first?.family);
    });
}

/** Returns the IP addresses of the first name that has any. */
async function resolveFirst(resolver: Resolver, names: readonly string[]): Promise<string[]> {
  let error: unknown;
  for (const name of names) {
    const replies = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = replies.flatMap((it) => (it.status === "fulfilled" ? it.value : []));
    if (addresses.length > 0) return addresses;
    const errors = replies.flatMap((it) => (it.status === "rejected" ? [it.reason] : []));
    const other = errors.find(({ code }) => !UNKNOWN_NAME.includes(code));
    if (other !== undefined) throw other;
    error ??= errors[0];
  }
  throw error;
}

/** Reads the words of each line of a configuration file, in lower case; a missing file has none. */
async function readRows(path: string): Promise<string[][]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text
    .toLowerCase()
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim().split(/\s+/));
}
