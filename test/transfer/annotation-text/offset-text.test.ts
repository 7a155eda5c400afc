import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parseOffset,
  parseTimestamp,
  printOffset,
  printTimestamp,
} from "../../../src/transfer/annotation-text/offset-text.ts";

describe("an offset is read", () => {
  const cases: readonly (readonly [
    text: string,
    seconds: bigint,
    nanos: number,
    again?: string,
  ])[] = [
    ["00:00:00.000", 0n, 0],
    ["00:01:15.500", 75n, 500_000_000],
    ["00:01:15.5", 75n, 500_000_000, "00:01:15.500"],
    ["01:15.5", 75n, 500_000_000, "00:01:15.500"],
    ["01:15", 75n, 0, "00:01:15.000"],
    ["1:02:03", 3723n, 0, "01:02:03.000"],
    ["75.5", 75n, 500_000_000, "00:01:15.500"],
    ["75.5s", 75n, 500_000_000, "00:01:15.500"],
    ["75", 75n, 0, "00:01:15.000"],
    ["0s", 0n, 0, "00:00:00.000"],
    ["00:00:00.000000001", 0n, 1],
    ["00:00:59.999999999", 59n, 999_999_999],
    ["00:00:01.0005", 1n, 500_000],
    ["0.100000000", 0n, 100_000_000, "00:00:00.100"],
    ["100:00:00.000", 360_000n, 0],
    ["87660000:00:00.999999999", 315_576_000_000n, 999_999_999],
    ["315576000000.999999999s", 315_576_000_000n, 999_999_999, "87660000:00:00.999999999"],
  ];
  for (const [text, seconds, nanos, again = text] of cases) {
    test(`${text} and written as ${again}`, () => {
      const offset = parseOffset(text);
      expect(offset).toMatchObject({ seconds, nanos });
      expect(offset && printOffset(offset)).toBe(again);
    });
  }
});

describe("no offset is", () => {
  for (const text of [
    "",
    " 1",
    "1 ",
    "-1",
    "+1",
    "1,5",
    ".5",
    "5.",
    "1e3",
    "1S",
    "1m",
    "1:2",
    "1:15",
    "00:60",
    "00:60:00",
    "00:00:60",
    "00:00:00:00",
    "00:01:15,500",
    "00:00:00.0000000001",
    "1.0000000001",
    "315576000001",
    "87660000:00:01",
    "9999999999:00:00",
    "٠١:١٥",
    "NaN",
    "00:01:15.500\n",
  ]) {
    test(JSON.stringify(text), () => {
      expect(parseOffset(text)).toBeUndefined();
    });
  }
});

describe("a timestamp of a cue is read", () => {
  const cases: readonly (readonly [string, bigint | undefined])[] = [
    ["00:00.000", 0n],
    ["59:59.999", 3_599_999_000_000n],
    ["00:00:00.001", 1_000_000n],
    ["01:02:03.004", 3_723_004_000_000n],
    ["123:00:00.000", 442_800_000_000_000n],
    ["1:00:00.000", undefined],
    ["0:00.000", undefined],
    ["00:00", undefined],
    ["00:00.0", undefined],
    ["00:00.0000", undefined],
    ["00:00,000", undefined],
    ["00:60.000", undefined],
    ["60:00.000", undefined],
    ["00:60:00.000", undefined],
    ["1.000", undefined],
    ["", undefined],
  ];
  for (const [text, want] of cases) {
    test(`'${text}' as ${want}`, () => expect(parseTimestamp(text)).toBe(want));
  }
});

test("a timestamp cuts off what is below a millisecond", () => {
  expect(printTimestamp(1_999_999n)).toBe("00:00:00.001");
  expect(printTimestamp(999_999n)).toBe("00:00:00.000");
});

test("every offset comes back, to the nanosecond", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 315_576_000_000n }),
      fc.integer({ min: 0, max: 999_999_999 }),
      (seconds, nanos) => {
        const text = printOffset({ $typeName: "google.protobuf.Duration", seconds, nanos });
        expect(parseOffset(text)).toMatchObject({ seconds, nanos });
      },
    ),
  );
});
