import { describe, expect, test } from "vitest";
import { decrypt, encrypt, toResponseKey } from "../../src/api/steps/idempotency.ts";

const key = toResponseKey("mqa_one");
const content = Buffer.from("the response");

describe("an encrypted content", () => {
  test("of no bytes is decrypted with its key", () => {
    expect(decrypt(encrypt(Buffer.of(), key), key)?.toString()).toBe("");
  });

  test("holds nothing of the content, and differs each time", () => {
    const [first, second] = [
      Buffer.from(encrypt(content, key)),
      Buffer.from(encrypt(content, key)),
    ];
    expect(first.includes(content)).toBe(false);
    expect(first.equals(second)).toBe(false);
  });

  test("is not decrypted with any one bit changed", () => {
    const encrypted = Buffer.from(encrypt(content, key));
    for (let bit = 0; bit < encrypted.length * 8; bit += 1) {
      const broken = Buffer.from(encrypted);
      broken.writeUInt8(broken.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(decrypt(broken, key), `bit ${bit}`).toBeUndefined();
    }
  });

  test("is not decrypted when its end is missing", () => {
    const encrypted = encrypt(content, key);
    for (let length = 0; length < encrypted.length; length += 1) {
      expect(decrypt(encrypted.subarray(0, length), key), `${length} bytes`).toBeUndefined();
    }
  });
});

test("the key is 32 bytes that do not hold the secret, always the same", () => {
  expect(key).toHaveLength(32);
  expect(Buffer.from(key).includes("mqa_one")).toBe(false);
  expect(toResponseKey("mqa_one")).toEqual(key);
  expect(toResponseKey("mqa_two")).not.toEqual(key);
});
