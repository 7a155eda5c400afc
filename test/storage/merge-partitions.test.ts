import { describe, expect, test } from "vitest";
import type { ContentPlace } from "../../src/storage/delivery-store.ts";
import { mergePartitions } from "../../src/storage/sql/content/plan/list-items.ts";

const row = (id: string, key: number | null = null) => ({ key, id, doc: "", bytes: 0 });
const place = (id: string, key: number | null = null): ContentPlace => ({ key, id });

describe("a page of several partitions, one of them not read to its end", () => {
  test.each([
    {
      what: "holds what lies exactly where that one stopped",
      pages: [{ rows: [row("a", 1), row("c", 3)], end: place("c", 3) }, { rows: [row("b", 2)] }],
      want: ["a", "b", "c"],
      next: place("c", 3),
    },
    {
      what: "ends there, whatever another holds behind",
      pages: [{ rows: [row("a", 1)], end: place("b", 2) }, { rows: [row("c", 2), row("d", 4)] }],
      want: ["a"],
      next: place("b", 2),
    },
    {
      what: "holds what another has exactly there",
      pages: [{ rows: [], end: place("b", 2) }, { rows: [row("b", 2), row("d", null)] }],
      want: ["b"],
      next: place("b", 2),
    },
    {
      what: "ends where the first of two stopped",
      pages: [
        { rows: [row("c", 3)], end: place("c", 3) },
        { rows: [row("b", 2)], end: place("b", 2) },
      ],
      want: ["b"],
      next: place("b", 2),
    },
  ])("$what", ({ pages, want, next }) => {
    const page = mergePartitions(pages, { field: "start_time", direction: "asc" }, 10);
    expect(page.rows.map(({ id }) => id)).toEqual(want);
    expect(page.next).toEqual(next);
  });
});
