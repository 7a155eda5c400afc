import { describe, expect, test } from "vitest";
import { createNetworkTest, parseNetwork } from "../../src/network/network.ts";

describe("a network is read", () => {
  const cases: readonly (readonly [string, readonly [string, number] | undefined])[] = [
    ["10.0.0.0/8", ["10.0.0.0", 8]],
    [" 10.1.2.3 ", ["10.1.2.3", 32]],
    ["0.0.0.0/0", ["0.0.0.0", 0]],
    ["::1", ["::1", 128]],
    ["FD00::/8", ["fd00::", 8]],
    ["::/0", ["::", 0]],
    ["::ffff:10.0.0.0/104", ["10.0.0.0", 8]],
    ["::ffff:10.0.0.1", ["10.0.0.1", 32]],
    ["::ffff:10.0.0.0/95", undefined],
    ["10.0.0.0/33", undefined],
    ["10.0.0.0/-1", undefined],
    ["10.0.0.0/", undefined],
    ["10.0.0.0/8/8", undefined],
    ["10.0.0/8", undefined],
    ["fd00::/129", undefined],
    ["[::1]", undefined],
    ["localhost", undefined],
    ["10.0.0.1:80", undefined],
    ["", undefined],
  ];
  for (const [text, want] of cases) {
    test(JSON.stringify(text), () => {
      const got = parseNetwork(text);
      expect(got).toEqual(want && { address: want[0], prefix: want[1] });
    });
  }
});

describe("an address is in a network", () => {
  const networks = ["10.0.0.0/8", "192.168.7.9/24", "2001:db8:1::/48", "::1"];
  const isInside = createNetworkTest(networks.flatMap((it) => parseNetwork(it) ?? []));
  const cases: readonly (readonly [string, boolean])[] = [
    ["10.0.0.0", true],
    ["10.255.255.255", true],
    ["9.255.255.255", false],
    ["11.0.0.0", false],
    ["192.168.7.0", true],
    ["192.168.7.255", true],
    ["192.168.8.0", false],
    ["2001:db8:1::", true],
    ["2001:db8:1:ffff:ffff:ffff:ffff:ffff", true],
    ["2001:db8:2::", false],
    ["::1", true],
    ["::2", false],
    ["0.0.0.1", false],
  ];
  for (const [address, want] of cases) {
    test(`${address}: ${want}`, () => expect(isInside(address)).toBe(want));
  }

  test("but in none where there is none", () => {
    expect(createNetworkTest([])("127.0.0.1")).toBe(false);
  });
});
