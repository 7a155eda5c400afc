import type { Viewer } from "../../domain/protection/decide.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";

/** The part of a call that locates its viewer. */
type PlacedCall = Pick<DeliveryCall, "readHeader" | "request">;

/** The sources of viewers' places: headers that a proxy sets, databases of IP addresses, both or none. */
interface PlaceSources {
  /** The header with the country, such as `cf-ipcountry`. */
  readonly countryHeader?: string | undefined;
  /** The header that is `true` or `1` for a VPN, `false` or `0` otherwise. */
  readonly vpnHeader?: string | undefined;
  /** Returns the country of an IP address; undefined if unknown. */
  readonly countryOf?: ((address: string) => string | undefined) | undefined;
  /** Reports whether an IP address belongs to an anonymizer. */
  readonly isAnonymous?: ((address: string) => boolean) | undefined;
}

/** The codes that proxies send for an unknown country. */
const UNKNOWN_COUNTRIES: ReadonlySet<string> = new Set(["XX", "ZZ"]);

const VPN_VALUES: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/**
 * Finds the places of viewers. A header takes precedence over a database, but counts only if it is well-formed and
 * from a trusted proxy.
 */
export class ViewerPlaces {
  readonly #sources: PlaceSources;

  constructor(sources: PlaceSources) {
    this.#sources = sources;
  }

  /** Finds the country of a viewer: ISO 3166-1 alpha-2, upper case; undefined if unknown. */
  findCountry(call: PlacedCall): string | undefined {
    const { countryHeader, countryOf } = this.#sources;
    return parseCountry(readHeader(call, countryHeader)) ?? look(call, countryOf);
  }

  /** Reports whether a viewer uses a VPN or another anonymizer; undefined if unknown. */
  findVpn(call: PlacedCall): boolean | undefined {
    const { vpnHeader, isAnonymous } = this.#sources;
    const header = readHeader(call, vpnHeader)?.toLowerCase() ?? "";
    return VPN_VALUES.get(header) ?? look(call, isAnonymous);
  }

  /** Finds what the databases know about an IP address. */
  lookUp(address: string): Pick<Viewer, "country" | "vpn"> {
    const { countryOf, isAnonymous } = this.#sources;
    return { country: countryOf?.(address), vpn: isAnonymous?.(address) };
  }
}

function readHeader(call: PlacedCall, name: string | undefined) {
  if (name === undefined || !call.request.trustsHeaders) return undefined;
  return call.readHeader(name.toLowerCase())?.trim();
}

function parseCountry(text: string | undefined): string | undefined {
  const country = text?.toUpperCase() ?? "";
  return /^[A-Z]{2}$/.test(country) && !UNKNOWN_COUNTRIES.has(country) ? country : undefined;
}

function look<T>({ request }: PlacedCall, find: ((address: string) => T) | undefined) {
  const { address } = request;
  return address === "" ? undefined : find?.(address);
}
