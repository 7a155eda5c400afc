import { createHmac as createNodeHmac } from "node:crypto";
import { expect, test } from "vitest";
import { createHmac } from "../../../src/domain/messages/hmac.ts";

const PARTS = [Buffer.from("f\u00fcr "), Buffer.alloc(0), Uint8Array.of(0, 0x80, 0xff)];

test.each([0, 1, 32, 64, 65, 200])("a key of %i bytes gives the HMAC that Node makes", (length) => {
  const key = Uint8Array.from({ length }, (_, index) => (index * 37) % 256);
  const hmac = createHmac(key);
  for (const parts of [[], PARTS.slice(0, 1), PARTS]) {
    const want = createNodeHmac("sha256", key).update(Buffer.concat(parts)).digest("hex");
    expect(hmac(...parts).toString("hex")).toBe(want);
  }
});
