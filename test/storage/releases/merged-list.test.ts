import { expect, test } from "vitest";
import type { ListPlace } from "../../../src/storage/content/places.ts";
import { mergeDrafts } from "../../../src/storage/releases/merged-list.ts";

const LIVE: readonly ListPlace[] = Array.from({ length: 500 }, (_, key) => ({ key, id: `${key}` }));

/** Lists a page of drafts over current items that are all hidden; returns the reads of current items as well. */
async function list(drafts: readonly ListPlace[], limit: number) {
  const reads: number[] = [];
  const page = await mergeDrafts(
    {
      order: { field: "position", direction: "asc" },
      limit,
      after: undefined,
      read: async (count, after) => {
        reads.push(count);
        const start = after === undefined ? 0 : Number(after.key) + 1;
        const rows = LIVE.slice(start, start + count);
        const isLast = start + count >= LIVE.length;
        return { rows, next: isLast ? undefined : rows.at(-1) };
      },
      isHidden: () => true,
    },
    drafts,
  );
  return { ...page, reads };
}

test("current items are read until drafts and items before them fill the page", async () => {
  const { rows, next, reads } = await list(LIVE.slice(0, 5), 4);
  expect(rows).toEqual(LIVE.slice(0, 4));
  expect(next).toEqual(LIVE[3]);
  expect(reads).toHaveLength(1);
});

test("current items before the drafts are read first", async () => {
  const { rows, next, reads } = await list(LIVE.slice(-2), 4);
  expect(rows).toEqual(LIVE.slice(-2));
  expect(next).toBeUndefined();
  expect(reads.length).toBeGreaterThan(2);
});
