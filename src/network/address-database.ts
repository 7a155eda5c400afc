import { stat } from "node:fs/promises";
import type { Reader, Response } from "maxmind";
import type { Logger } from "pino";
import { Code, DomainError } from "../domain/base/errors.ts";

/** The interval of checking for a newer file, in milliseconds. */
const POLL_INTERVAL = 1_000;

/** IP addresses that are looked up once to verify that a file is readable. */
const PROBES = ["0.0.0.0", "255.255.255.255", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"];

/** A database of IP addresses in MaxMind's format. */
export interface AddressDatabase {
  /** Returns the record of an IP address; undefined if there is none. */
  find(address: string): unknown;
  /** The build time in the file. */
  readonly buildTime: Date;
  /** Stops checking for a newer file. */
  close(): void;
}

/** The options of opening a database. */
export interface AddressDatabaseOptions {
  readonly path: string;
  /** The setting that names the file, for messages. */
  readonly setting: string;
  readonly log: Logger;
  /** The interval of checking for a newer file, in milliseconds. */
  readonly pollInterval?: number;
}

/**
 * Opens a file and reloads it after it is replaced. If the new file is unreadable, the error is logged and the old
 * data stay in use. FAILED_PRECONDITION `ADDRESS_DATABASE_UNREADABLE` if the first file is unreadable.
 */
export async function openAddressDatabase({
  path,
  setting,
  log,
  pollInterval = POLL_INTERVAL,
}: AddressDatabaseOptions): Promise<AddressDatabase> {
  const load = async () => ({ state: await readState(path), reader: await readFile(path) });
  let { state: tried, reader } = await load().catch((cause: unknown) => {
    const isFailedCall = cause instanceof Error && "syscall" in cause;
    const problem = isFailedCall ? "cannot be read" : "is not in MaxMind's format";
    const message = `${setting}: '${path}' ${problem}`;
    throw new DomainError(Code.FAILED_PRECONDITION, "ADDRESS_DATABASE_UNREADABLE", message, {
      cause,
    });
  });
  let seen = tried;

  async function refresh(): Promise<void> {
    const state = await readState(path);
    // A file that is still being written is not read until it stops changing.
    const isSettled = state === seen;
    seen = state;
    if (!isSettled || state === tried) return;
    tried = state;
    try {
      reader = await readFile(path);
      const { buildEpoch } = reader.metadata;
      log.info({ setting, path, build_time: buildEpoch }, "address database loaded");
    } catch (error) {
      log.error(
        { err: error, setting, path },
        "address database unreadable, keeping the previous one",
      );
    }
  }

  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    refresh().finally(() => {
      isBusy = false;
    });
  }, pollInterval);
  timer.unref();

  return {
    find(address) {
      // An IPv4 tree would return the record of another IP address for an IPv6 one.
      if (reader.metadata.ipVersion === 4 && address.includes(":")) return undefined;
      try {
        return reader.get(address) ?? undefined;
      } catch (error) {
        log.error({ err: error, setting, path }, "address database has an unreadable record");
        return undefined;
      }
    },
    get buildTime() {
      return reader.metadata.buildEpoch;
    },
    close: () => clearInterval(timer),
  };
}

/** Returns a text that changes with the file; a missing file has one too. */
async function readState(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return [ino, size, mtimeMs].join();
  } catch {
    return "missing";
  }
}

async function readFile(path: string): Promise<Reader<Response>> {
  // Loaded only if the service has such a database.
  const { open } = await import("maxmind");
  const reader = await open<Response>(path);
  if (Number.isNaN(reader.metadata.buildEpoch.getTime()))
    throw new Error("the file has no build time");
  const { ipVersion } = reader.metadata;
  for (const probe of PROBES) if (ipVersion === 6 || !probe.includes(":")) reader.get(probe);
  return reader;
}

/** The files for locating viewers, in MaxMind's format. */
export interface PlaceFiles {
  /** The countries of IP addresses. */
  readonly countryDatabase?: string | undefined;
  /** The IP addresses of VPNs, proxies and other anonymizers. */
  readonly anonymousIpDatabase?: string | undefined;
}

/** Lookups in the given files; a lookup without its file is absent. */
export interface PlaceDatabases {
  readonly countryOf?: (address: string) => string | undefined;
  readonly isAnonymous?: (address: string) => boolean;
  /** The databases by name: `country`, `anonymous_ip`. */
  readonly databases: ReadonlyMap<string, Pick<AddressDatabase, "buildTime">>;
  close(): void;
}

/** Opens the given files. Fails like `openAddressDatabase`. */
export async function openPlaceDatabases(
  { countryDatabase, anonymousIpDatabase }: PlaceFiles,
  log: Logger,
): Promise<PlaceDatabases> {
  const databases = new Map<string, AddressDatabase>();
  const close = () => {
    for (const database of databases.values()) database.close();
  };
  const open = async (name: string, setting: string, path: string | undefined) => {
    if (path === undefined) return undefined;
    const database = await openAddressDatabase({ path, setting, log });
    databases.set(name, database);
    return database;
  };
  try {
    const country = await open("country", "--country-database", countryDatabase);
    const anonymous = await open("anonymous_ip", "--anonymous-ip-database", anonymousIpDatabase);
    return {
      ...(country && { countryOf: (address) => readCountry(country.find(address)) }),
      ...(anonymous && { isAnonymous: (address) => readAnonymity(anonymous.find(address)) }),
      databases,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The members of a record of MaxMind's anonymous-IP databases that mark an anonymizer. */
const ANONYMIZERS = [
  "is_anonymous",
  "is_anonymous_vpn",
  "is_public_proxy",
  "is_hosting_provider",
  "is_tor_exit_node",
];

/** Reads the country of an IP address from its record: ISO 3166-1 alpha-2, upper case. */
export function readCountry(record: unknown): string | undefined {
  const code = member(member(record, "country"), "iso_code");
  return typeof code === "string" && /^[A-Z]{2}$/.test(code) ? code : undefined;
}

/** Reports whether the record of an IP address marks an anonymizer. */
export function readAnonymity(record: unknown): boolean {
  return ANONYMIZERS.some((name) => member(record, name) === true);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
