import { describe, expect, test } from "vitest";
import { open, seal, toSealingKey } from "../../src/call/answer-encryption.ts";

const key = toSealingKey("mqa_one");
const content = Buffer.from("what was answered");

describe("a sealed content", () => {
  for (const text of ["", "x", "what was answered", "x".repeat(100_000)]) {
    test(`of ${text.length} bytes opens with its key`, () => {
      expect(open(seal(Buffer.from(text), key), key)?.toString()).toBe(text);
    });
  }

  test("shows nothing of itself, and is another each time", () => {
    const [first, second] = [Buffer.from(seal(content, key)), Buffer.from(seal(content, key))];
    expect(first.includes(content)).toBe(false);
    expect(first.equals(second)).toBe(false);
  });

  test("does not open with the key of another secret", () => {
    expect(open(seal(content, key), toSealingKey("mqa_two"))).toBeUndefined();
  });

  test("does not open with any one bit changed", () => {
    const sealed = Buffer.from(seal(content, key));
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const broken = Buffer.from(sealed);
      broken.writeUInt8(broken.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(open(broken, key), `bit ${bit}`).toBeUndefined();
    }
  });

  test("does not open when its end is missing", () => {
    const sealed = seal(content, key);
    for (let length = 0; length < sealed.length; length += 1) {
      expect(open(sealed.subarray(0, length), key), `${length} bytes`).toBeUndefined();
    }
  });
});

test("the key is 32 bytes that do not hold the secret, always the same", () => {
  expect(key).toHaveLength(32);
  expect(Buffer.from(key).includes("mqa_one")).toBe(false);
  expect(toSealingKey("mqa_one")).toEqual(key);
  expect(toSealingKey("mqa_two")).not.toEqual(key);
});
