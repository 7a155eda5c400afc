import type { Logger } from "pino";
import { type AddressDatabase, openAddressDatabase } from "./address-database.ts";

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
