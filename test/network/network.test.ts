import { describe, expect, test } from "vitest";
import { createNetworkTest, parseNetwork } from "../../src/network/ip-address.ts";
import { openCases } from "../harness/cases.ts";

const each = openCases("network/network");

each<[string, readonly [string, number] | undefined]>("a network is read", (text, want) => {
  const got = parseNetwork(text);
  expect(got).toEqual(want && { address: want[0], prefix: want[1] });
});

describe("an address is in a network", () => {
  const networks = ["10.0.0.0/8", "192.168.7.9/24", "2001:db8:1::/48", "::1"];
  const isInside = createNetworkTest(networks.flatMap((it) => parseNetwork(it) ?? []));

  each<[string, boolean]>("an address is in a network", (address, want) => {
    expect(isInside(address)).toBe(want);
  });

  test("but in none where there is none", () => {
    expect(createNetworkTest([])("127.0.0.1")).toBe(false);
  });
});
