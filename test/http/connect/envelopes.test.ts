import { describe, expect, test } from "vitest";
import { EnvelopeSplitter } from "../../../src/http/connect/envelopes.ts";
import { frame } from "../../harness/grpc-frame.ts";

const LIMIT = 1024 * 1024;
const RULES = { limit: LIMIT, isCompressed: false };

function takeAll(splitter: EnvelopeSplitter): Buffer[] {
  const taken: Buffer[] = [];
  for (let next = splitter.take(); next !== undefined; next = splitter.take()) {
    taken.push(Buffer.from(next));
  }
  return taken;
}

/** Cuts bytes into pieces whose sizes come in turns. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const size = sizes[pieces.length % sizes.length] ?? 1;
    pieces.push(Buffer.from(bytes.subarray(start, start + size)));
    start += size;
  }
  return pieces;
}

describe("a body of envelopes", () => {
  const lengths = [0, 1, 4, 5, 6, 100, 0, 65_536, 3, 0];
  const envelopes = lengths.map((length, index) => frame(Buffer.alloc(length, index)));
  for (const sizes of [[1], [2, 3], [4], [5], [6, 1], [9, 100, 1], [1_000], [1_000_000]]) {
    test(`is split the same in pieces of ${sizes}`, () => {
      const splitter = new EnvelopeSplitter(RULES);
      const taken = cut(Buffer.concat(envelopes), sizes).flatMap((piece) => {
        splitter.push(piece);
        return takeAll(splitter);
      });
      expect(taken).toEqual(envelopes.map((it) => Buffer.from(it)));
      expect(splitter.rest).toHaveLength(0);
    });
  }

  test("is not kept by what was taken before: a message stays as it was", () => {
    const splitter = new EnvelopeSplitter(RULES);
    const first = frame(Buffer.from("first"));
    const second = frame(Buffer.from("second"));
    splitter.push(Buffer.from(first.subarray(0, 7)));
    splitter.push(Buffer.concat([first.subarray(7), second.subarray(0, 2)]));
    const taken = splitter.take();
    splitter.push(Buffer.from(second.subarray(2)));
    expect(Buffer.from(taken ?? [])).toEqual(Buffer.from(first));
    expect(takeAll(splitter)).toEqual([Buffer.from(second)]);
  });

  test("is refused one byte past the limit, as soon as the prefix is there", () => {
    const prefix = (length: number) => Buffer.from(frame(new Uint8Array(length)).subarray(0, 5));
    const at = new EnvelopeSplitter(RULES);
    at.push(prefix(LIMIT));
    expect(at.take()).toBeUndefined();
    const past = new EnvelopeSplitter(RULES);
    past.push(prefix(LIMIT + 1).subarray(0, 4));
    expect(past.take()).toBeUndefined();
    past.push(prefix(LIMIT + 1).subarray(4));
    expect(() => past.take()).toThrow("larger than 1048576 bytes");
  });

  test("is taken up to the message that is too large", () => {
    const splitter = new EnvelopeSplitter(RULES);
    splitter.push(Buffer.concat([frame(Buffer.from("a")), Uint8Array.of(0, 255, 0, 0, 0)]));
    expect(splitter.take()).toEqual(Buffer.from(frame(Buffer.from("a"))));
    expect(() => splitter.take()).toThrow("larger");
  });

  test("may be compressed only where the request names an encoding", () => {
    for (const [isCompressed, flags, isGood] of [
      [false, 0, true],
      [false, 2, true],
      [false, 1, false],
      [false, 3, false],
      [true, 1, true],
    ] as const) {
      const splitter = new EnvelopeSplitter({ limit: LIMIT, isCompressed });
      splitter.push(Buffer.from(frame(Buffer.from("a"), flags)));
      if (isGood) expect(splitter.take()).toBeDefined();
      else expect(() => splitter.take()).toThrow("names no encoding");
    }
  });

  test("costs as its size does, however small its pieces are", () => {
    const timeOf = (length: number) => {
      const pieces = cut(frame(new Uint8Array(length)), [1]);
      const start = performance.now();
      const splitter = new EnvelopeSplitter(RULES);
      for (const piece of pieces) {
        splitter.push(piece);
        splitter.take();
      }
      return performance.now() - start;
    };
    timeOf(10_000);
    // A cost by the square of the size would be 16 times as high, and take minutes.
    const [quarter, whole] = [timeOf(LIMIT / 4), timeOf(LIMIT)];
    expect(whole).toBeLessThan(Math.max(quarter * 10, 1_000));
  });
});
