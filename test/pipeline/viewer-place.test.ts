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

describe("a header tells a viewer's country", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["DE", "DE"],
    ["de", "DE"],
    [" de ", "DE"],
    ["XX", undefined],
    ["zz", undefined],
    ["T1", undefined],
    ["DEU", undefined],
    ["DE, FR", undefined],
    ["", undefined],
  ];
  for (const [text, want] of cases) {
    test(`${JSON.stringify(text)} is ${want}`, () => {
      expect(find(HEADERS, { "x-country": text })).toEqual([want, undefined]);
      expect(find(BOTH, { "x-country": text })[0]).toBe(want ?? "FR");
    });
  }
});

describe("a header tells of a VPN", () => {
  const cases: readonly (readonly [string, boolean | undefined])[] = [
    ["true", true],
    ["1", true],
    ["TRUE", true],
    ["false", false],
    ["0", false],
    ["yes", undefined],
    ["false, true", undefined],
    ["", undefined],
  ];
  for (const [text, want] of cases) {
    test(`${JSON.stringify(text)} is ${want}`, () => {
      expect(find(HEADERS, { "x-vpn": text })).toEqual([undefined, want]);
      expect(find(BOTH, { "x-vpn": text })[1]).toBe(want ?? true);
    });
  }
});

test("headers from a peer that is no trusted proxy say nothing", () => {
  const headers = { "x-country": "DE", "x-vpn": "false" };
  expect(find(HEADERS, headers, { trustsHeaders: false })).toEqual(UNKNOWN);
  expect(find(BOTH, headers, { trustsHeaders: false })).toEqual(["FR", true]);
});

test("headers that no setting names say nothing", () => {
  expect(find({}, { "x-country": "DE", "cf-ipcountry": "DE", "x-vpn": "true" })).toEqual(UNKNOWN);
});

test("databases tell it of an address", () => {
  expect(find(DATABASES, {})).toEqual(["FR", true]);
  expect(find(DATABASES, {}, { address: "198.51.100.2" })).toEqual([undefined, false]);
  expect(find(DATABASES, {}, { address: "" })).toEqual(UNKNOWN);
});
