import { describe, expect, test } from "vitest";
import {
  createNetworkTest,
  parseAddress,
  parseNetwork,
  toAddressBlock,
} from "../../src/network/ip-address.ts";
import { openCases } from "../harness/cases.ts";

const each = openCases("network/ip-address");
const eachNetwork = openCases("network/network");

test.each<[string, string | undefined]>([
  ["1.2.3.4", "1.2.3.4"],
  [" 1.2.3.4\t", "1.2.3.4"],
  ["1.2.3.4:5678", "1.2.3.4"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["::FFFF:102:304", "1.2.3.4"],
  ["0:0:0:0:0:ffff:1.2.3.4", "1.2.3.4"],
  ["[::ffff:1.2.3.4]:80", "1.2.3.4"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["2001:db8::1", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
  ["::1", "::1"],
  ["::", "::"],
  // Not a mapped address, though it ends like one.
  ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
  ["", undefined],
  ["unknown", undefined],
  ["_hidden", undefined],
  ["1.2.3", undefined],
  ["1.2.3.256", undefined],
  ["01.2.3.4", undefined],
  ["1.2.3.4:", undefined],
  ["1.2.3.4:123456", undefined],
  ["2001:db8::1:443:", undefined],
  ["[2001:db8::1", undefined],
  ["[2001:db8::1]x", undefined],
  ["1.2.3.4, 5.6.7.8", undefined],
  ["2001:db8::1::2", undefined],
])("an address has one form: %j is %s", (text, want) => {
  expect(parseAddress(text)).toBe(want);
});

each<[address: string, want?: string]>("an address is bound", (address, want) => {
  expect(toAddressBlock(address)).toBe(want);
});

eachNetwork<[string, readonly [string, number] | undefined]>("a network is read", (text, want) => {
  const got = parseNetwork(text);
  expect(got).toEqual(want && { address: want[0], prefix: want[1] });
});

describe("an address is in a network", () => {
  const networks = ["10.0.0.0/8", "192.168.7.9/24", "2001:db8:1::/48", "::1"];
  const isInside = createNetworkTest(networks.flatMap((it) => parseNetwork(it) ?? []));

  eachNetwork<[string, boolean]>("an address is in a network", (address, want) => {
    expect(isInside(address)).toBe(want);
  });

  test("but in none where there is none", () => {
    expect(createNetworkTest([])("127.0.0.1")).toBe(false);
  });
});
