import { expect, test } from "vitest";
import { parseAddress, toAddressBlock } from "../../src/network/ip-address.ts";
import { openCases } from "../harness/cases.ts";

const each = openCases("network/ip-address");

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
