import { describe, expect, test } from "vitest";
import { type PlaceSources, ViewerPlaces } from "../../src/api/delivery/viewer-place.ts";
import { createDeliveryCall } from "./calls.ts";

const ADDRESS = "198.51.100.1";
const HEADERS: PlaceSources = { countryHeader: "X-Country", vpnHeader: "X-Vpn" };
const DATABASES: PlaceSources = {
  countryOf: (address) => (address === ADDRESS ? "FR" : undefined),
  isAnonymous: (address) => address === ADDRESS,
};
const BOTH = { ...HEADERS, ...DATABASES };

function find(
  sources: PlaceSources,
  headers: Record<string, string>,
  { address = ADDRESS, trustsHeaders = true } = {},
) {
  const places = new ViewerPlaces(sources);
  const call = createDeliveryCall(headers, { address, trustsHeaders });
  return [places.findCountry(call), places.findVpn(call)];
}

const UNKNOWN = [undefined, undefined];

describe("a header names a viewer's country, or a VPN", () => {
  test.each<[header: "x-country" | "x-vpn", text: string, want?: string | boolean]>([
    ["x-country", "DE", "DE"],
    ["x-country", "de", "DE"],
    ["x-country", " de ", "DE"],
    ["x-country", "XX"],
    ["x-country", "zz"],
    ["x-country", "T1"],
    ["x-country", "DEU"],
    ["x-country", "DE, FR"],
    ["x-country", ""],
    ["x-vpn", "true", true],
    ["x-vpn", "1", true],
    ["x-vpn", "TRUE", true],
    ["x-vpn", "false", false],
    ["x-vpn", "0", false],
    ["x-vpn", "yes"],
    ["x-vpn", "false, true"],
    ["x-vpn", ""],
  ])("%s: '%s' is %s", (header, text, want) => {
    const isCountry = header === "x-country";
    const got = isCountry ? [want, undefined] : [undefined, want];
    expect(find(HEADERS, { [header]: text })).toEqual(got);
    const other = isCountry ? [want ?? "FR", true] : ["FR", want ?? true];
    expect(find(BOTH, { [header]: text })).toEqual(other);
  });
});

test("headers from a peer that is no trusted proxy say nothing", () => {
  const headers = { "x-country": "DE", "x-vpn": "false" };
  expect(find(HEADERS, headers, { trustsHeaders: false })).toEqual(UNKNOWN);
  expect(find(BOTH, headers, { trustsHeaders: false })).toEqual(["FR", true]);
});

test("headers that no setting names say nothing", () => {
  expect(find({}, { "x-country": "DE", "cf-ipcountry": "DE", "x-vpn": "true" })).toEqual(UNKNOWN);
});

test("databases know it for an IP address", () => {
  expect(find(DATABASES, {})).toEqual(["FR", true]);
  expect(find(DATABASES, {}, { address: "198.51.100.2" })).toEqual([undefined, false]);
  expect(find(DATABASES, {}, { address: "" })).toEqual(UNKNOWN);
});
