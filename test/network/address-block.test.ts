import { expect } from "vitest";
import { toAddressBlock } from "../../src/network/address-block.ts";
import { openCases } from "../harness/cases.ts";

const each = openCases("network/address-block");

each<[address: string, want?: string]>("an address is bound", (address, want) => {
  expect(toAddressBlock(address)).toBe(want);
});
