import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineBuffer, type LineBufferOptions } from "../../src/telemetry/line-buffer.ts";

/** A reader that takes as many bytes of each batch as it may take, and everything once it has no limit. */
function createReader(takes: (number | undefined)[] = []) {
  const batches: string[] = [];
  let bytes = Buffer.alloc(0);
  return {
    takes,
    batches,
    text: () => bytes.toString(),
    put(batch: Uint8Array) {
      const taken = takes.length === 0 ? batch.length : takes.shift();
      if (taken === undefined) return undefined;
      const piece = batch.subarray(0, taken);
      batches.push(Buffer.from(piece).toString());
      bytes = Buffer.concat([bytes, piece]);
      return piece.length;
    },
  };
}

function createBuffer(
  reader: ReturnType<typeof createReader>,
  options: Partial<LineBufferOptions> = {},
) {
  const lines: LineBuffer = new LineBuffer({
    put: reader.put,
    onDropped: (count) => lines.write(`dropped ${count}\n`),
    ...options,
  });
  return lines;
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`);

describe("a line buffer", () => {
  test("writes every line in order, however its reader takes them", () => {
    const line = fc.string({ unit: "grapheme", maxLength: 300 }).map((text) => `${text}\n`);
    const steps = fc.array(fc.oneof(line, fc.constant(undefined)), { maxLength: 200 });
    const takes = fc.array(fc.nat({ max: 5_000 }), { maxLength: 50 });
    fc.assert(
      fc.property(steps, takes, (written, taken) => {
        const reader = createReader(taken);
        const buffer = createBuffer(reader);
        for (const step of written) {
          if (step === undefined) buffer.flush();
          else buffer.write(step);
        }
        buffer.flushSync();
        expect(reader.text()).toBe(written.filter((step) => step !== undefined).join(""));
      }),
    );
  });

  test("writes many short lines in few batches of at most 4,096 bytes", () => {
    const reader = createReader();
    const buffer = createBuffer(reader);
    const lines = numbered(2_000);
    for (const line of lines) buffer.write(line);
    buffer.flush();
    const text = lines.join("");
    expect(reader.text()).toBe(text);
    expect(reader.batches.length).toBe(Math.ceil(text.length / 4_096));
    for (const batch of reader.batches) {
      expect(batch.length).toBeLessThanOrEqual(4_096);
      expect(batch.endsWith("\n")).toBe(true);
    }
  });

  test("writes a single line soon", async () => {
    const reader = createReader();
    createBuffer(reader).write("alone\n");
    expect(reader.text()).toBe("");
    await expect.poll(reader.text).toBe("alone\n");
  });

  test("goes on by itself with a reader that was slow", async () => {
    const reader = createReader([0, 3, 0]);
    const buffer = createBuffer(reader);
    buffer.write("first\n");
    buffer.flush();
    expect(reader.text()).toBe("");
    await expect.poll(reader.text).toBe("first\n");
  });
});

describe("a reader that takes nothing", () => {
  /** Of 100 lines of 1,000 bytes, 10 fit. */
  function fill() {
    const reader = createReader(Array.from({ length: 1_000 }, () => 0));
    const buffer = createBuffer(reader, { maxBytes: 10_000, maxWait: 50 });
    for (let at = 0; at < 100; at += 1) buffer.write(`${String(at).padStart(999)}\n`);
    return { reader, buffer };
  }

  test("gets what fits, then one line about the others at their place", () => {
    const { reader, buffer } = fill();
    reader.takes.length = 0;
    buffer.flush();
    buffer.write("after\n");
    buffer.flush();
    const got = reader.text().trimEnd().split("\n");
    const kept = got.findIndex((line) => line.startsWith("dropped"));
    expect(kept).toBeGreaterThanOrEqual(7);
    expect(kept).toBeLessThanOrEqual(10);
    expect(got.slice(0, kept).map(Number)).toEqual(Array.from({ length: kept }, (_, at) => at));
    expect(got.slice(kept)).toEqual([`dropped ${100 - kept}`, "after"]);
  });

  test("does not keep the process from its end", () => {
    const { buffer } = fill();
    const start = performance.now();
    buffer.flushSync();
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

test("nothing is written once the reader is gone", () => {
  const reader = createReader([4, undefined]);
  const buffer = createBuffer(reader);
  for (const line of numbered(2_000)) buffer.write(line);
  buffer.flushSync();
  expect(reader.text()).toBe("line");
  expect(reader.takes).toEqual([]);
});
