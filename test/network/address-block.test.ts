import { describe, expect, test } from "vitest";
import { toAddressBlock } from "../../src/network/address-block.ts";

describe("an address is bound", () => {
  const cases: readonly (readonly [address: string, want: string | undefined])[] = [
    ["192.0.2.1", "192.0.2.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:0000:0000:0000:0001", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:0201", "192.0.2.1"],
    ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
    ["64:ff9b::192.0.2.1", "192.0.2.1"],
    ["64:ff9b:1::192.0.2.1", "64:ff9b:1:0::/64"],
    ["::192.0.2.1", "0:0:0:0::/64"],
    ["", undefined],
    ["unknown", undefined],
    ["192.0.2", undefined],
    ["192.0.2.256", undefined],
    ["192.0.2.01", undefined],
    ["192.0.2.1:443", "192.0.2.1"],
    [" 192.0.2.1", "192.0.2.1"],
    ["1:2:3:4:5:6:7", undefined],
    ["1:2:3:4:5:6:7:8:9", undefined],
    ["1::2::3", undefined],
    ["1:2:3:4::5:6:7:8", undefined],
    ["12345::", undefined],
    ["g::", undefined],
    ["[2001:db8:1:2:3::]:443", "2001:db8:1:2::/64"],
    [":1", undefined],
    ["1:", undefined],
    ["192.0.2.1::", undefined],
  ];
  for (const [address, want] of cases) {
    test(`'${address}' as ${want ?? "nothing: it is none"}`, () => {
      expect(toAddressBlock(address)).toBe(want);
    });
  }
});
