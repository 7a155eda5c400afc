import { describe, expect, test } from "vitest";
import { createFindClient } from "../../src/network/client.ts";
import { parseNetwork } from "../../src/network/network.ts";

const toNetworks = (texts: readonly string[]) => texts.flatMap((it) => parseNetwork(it) ?? []);

describe("behind trusted proxies the client is the first address from the right that is none", () => {
  const find = createFindClient(toNetworks(["10.0.0.0/8", "fd00::/8", "203.0.113.7"]));
  const cases: readonly (readonly [string, string, string | undefined, string])[] = [
    ["one proxy", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["two proxies", "10.0.0.1", "198.51.100.1, 203.0.113.7", "198.51.100.1"],
    ["no blanks", "10.0.0.1", "198.51.100.1,10.0.0.2,10.0.0.3", "198.51.100.1"],
    ["a client that makes one up", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["one that makes a proxy up", "10.0.0.1", "1.1.1.1, 10.0.0.9, 198.51.100.1", "198.51.100.1"],
    ["no header", "10.0.0.1", undefined, "10.0.0.1"],
    ["an empty header", "10.0.0.1", "", "10.0.0.1"],
    ["proxies alone", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["a word in the way", "10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
    ["a word behind a proxy", "10.0.0.1", "198.51.100.1, unknown, 10.0.0.2", "10.0.0.2"],
    ["an empty hop", "10.0.0.1", "198.51.100.1, , 10.0.0.2", "10.0.0.2"],
    ["a port", "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
    ["IPv6 behind IPv4", "10.0.0.1", "2001:DB8:0::1", "2001:db8::1"],
    ["IPv6 with a port", "10.0.0.1", "[2001:db8::1]:4711, fd00::2", "2001:db8::1"],
    ["IPv4 behind IPv6", "fd00::1", "198.51.100.1", "198.51.100.1"],
    ["a mapped proxy", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["a mapped hop", "10.0.0.1", "198.51.100.1, ::ffff:10.0.0.2", "198.51.100.1"],
    ["a mapped client", "10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
  ];
  for (const [name, peer, forwardedFor, want] of cases) {
    test(name, () => {
      expect(find({ peer, forwardedFor })).toEqual({ address: want, trustsHeaders: true });
    });
  }

  for (const peer of ["198.51.100.9", "::ffff:198.51.100.9", "2001:db8::9", "203.0.113.8"]) {
    test(`${peer} is no proxy, so its headers say nothing`, () => {
      const { address, trustsHeaders } = find({ peer, forwardedFor: "1.1.1.1, 10.0.0.2" });
      expect([address, trustsHeaders]).toEqual([peer.replace("::ffff:", ""), false]);
    });
  }

  test("a client that has left has no address, and nothing of it is believed", () => {
    const gone = { address: "", trustsHeaders: false };
    expect(find({ peer: undefined, forwardedFor: "1.1.1.1" })).toEqual(gone);
  });
});

test("where no proxy is trusted, X-Forwarded-For says nothing and other headers are believed", () => {
  const find = createFindClient([]);
  expect(find({ peer: "10.0.0.1", forwardedFor: "1.1.1.1" })).toEqual({
    address: "10.0.0.1",
    trustsHeaders: true,
  });
});
