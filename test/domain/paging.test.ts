import { describe, expect, test } from "vitest";
import { resolvePageSize } from "../../src/domain/paging.ts";
import { refusal } from "../harness/refusal.ts";

describe("the size of a page", () => {
  const limits = { standard: 20, maximum: 100 };

  test.each<[number, number]>([
    [0, 20],
    [-0, 20],
    [1, 1],
    [20, 20],
    [99, 99],
    [100, 100],
    [101, 100],
    [2_147_483_647, 100],
  ])("%s asked is %s", (asked, want) => {
    expect(resolvePageSize(asked, limits)).toBe(want);
  });

  test.each([-1, -2_147_483_648])("%s asked is refused", (asked) => {
    expect(() => resolvePageSize(asked, limits)).toThrow(
      refusal("PAGE_SIZE_INVALID", undefined, {
        fields: [{ field: "page_size", description: "must not be negative" }],
      }),
    );
  });
});
