import { describe, expect, test } from "vitest";
import { printWarnings } from "../../../src/domain/base/warnings.ts";

const read = (text: string | undefined) => JSON.parse(text ?? "null");
const LONG = "ü".repeat(1_024);

describe("the header of warnings", () => {
  test("is absent without warnings", () => {
    expect(printWarnings([])).toBeUndefined();
  });

  test.each<readonly [number, number]>([
    [1, 1],
    [2, 2],
    [9, 3],
  ])("of %d long warnings has %d, in ASCII", (count, printed) => {
    const warnings = Array.from({ length: count }, (_, at) => ({
      ...{ code: `C${at}`, fields: ["x"], message: "é".repeat(95) },
    }));
    const text = printWarnings(warnings) ?? "";
    expect(text).toMatch(/^[ -~]{1,2048}$/);
    expect(read(text)).toEqual(warnings.slice(0, printed));
  });

  test("has the first warning, however long its fields and message are", () => {
    const fields = ["short", ...Array.from({ length: 19 }, () => LONG)];
    const text = printWarnings([{ code: "C", fields, message: LONG }]) ?? "";
    expect(text).toMatch(/^[ -~]{1,2048}$/);
    expect(read(text)).toMatchObject([{ code: "C", fields: ["short"] }]);
    expect(read(printWarnings([{ code: "C", fields: [LONG], message: "m" }]))).toMatchObject([
      { fields: [], message: "m" },
    ]);
  });
});
