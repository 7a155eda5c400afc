import type { Logger } from "pino";
import { type AddressDatabase, openAddressDatabase } from "./address-database.ts";
import { readAnonymity, readCountry } from "./address-facts.ts";

/** The files for locating viewers, in MaxMind's format. */
export interface PlaceFiles {
  /** The countries of addresses. */
  readonly countryDatabase?: string;
  /** The addresses of VPNs, proxies and other anonymizers. */
  readonly anonymousIpDatabase?: string;
}

/** Lookups in the given files; a lookup without its file is absent. */
export interface PlaceDatabases {
  readonly countryOf?: (address: string) => string | undefined;
  readonly isAnonymous?: (address: string) => boolean;
  /** The databases by name: `country`, `anonymous_ip`. */
  readonly databases: ReadonlyMap<string, Pick<AddressDatabase, "buildTime">>;
  close(): void;
}

/** Opens the given files. Fails as `openAddressDatabase` does. */
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
  } catch (fault) {
    close();
    throw fault;
  }
}
