import { describe, expect, test } from "vitest";
import type { OrderPlace } from "../../src/domain/base/paging.ts";
import type { ContentOrder } from "../../src/domain/content/order.ts";
import { mergePartitions } from "../../src/storage/content/places.ts";

const row = (id: string, key: number | null = null) => ({ key, id, doc: "", bytes: 0 });
const place = (id: string, key: number | null = null): OrderPlace => ({ key, id });

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

/** The id of a place behind all items of a value. */
const LAST = "\u{10ffff}";

describe("places in an order by two fields", () => {
  const order: ContentOrder = {
    field: "fields.x",
    direction: "desc",
    second: { field: "start_time", direction: "desc" },
  };
  const listed = (key: string | null, second: number | null, id: string) => ({
    ...{ key, second, id },
    ...{ doc: "", bytes: 0 },
  });
  const ROWS = [
    listed("n2", 7, "d"),
    listed("n2", 7, "e"),
    listed("n2", 6, "a"),
    listed("n2", null, "b"),
    listed("n1", 9, "c"),
    listed(null, 8, "g"),
    listed(null, null, "f"),
  ];

  test("are merged by both, then by id, and without a value last", () => {
    const pages = [0, 1].map((parity) => ({ rows: ROWS.filter((_, it) => it % 2 === parity) }));
    expect(mergePartitions(pages, order, 10).rows).toEqual(ROWS);
  });

  test.each([
    ["before the items of a value", { key: "n2", id: "" }, 0],
    ["behind the items of a value", { key: "n2", id: LAST }, 4],
    ["before the items without a value", { key: null, id: "" }, 5],
  ])("lie %s", (_, end, count) => {
    const page = mergePartitions([{ rows: [], end }, { rows: ROWS }], order, 10);
    expect(page).toEqual({ rows: ROWS.slice(0, count), next: end });
  });

  test.each([
    ["before the value as a whole", { key: "n2", id: "" }, { key: "n2", second: 7, id: "" }, 0],
    ["within it", { key: "n2", second: 7, id: LAST }, { key: "n2", id: LAST }, 2],
  ])("end a page at the first of two in a value, %s", (_, first, later, count) => {
    for (const ends of [
      [first, later],
      [later, first],
    ]) {
      const page = mergePartitions(
        [...ends.map((end) => ({ rows: [], end })), { rows: ROWS }],
        order,
        10,
      );
      expect(page).toEqual({ rows: ROWS.slice(0, count), next: first });
    }
  });
});
