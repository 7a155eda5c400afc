import { expect, test } from "vitest";
import { DEFAULT_ORDERS } from "../../src/domain/content/order.ts";
import { POSTGRES_DIALECT } from "../../src/storage/postgres/dialect.ts";
import { skipCounts } from "../../src/storage/sql/content/plan/count-access-paths.ts";
import { ListPlan } from "../../src/storage/sql/content/plan/list-plan.ts";
import { SQLITE_DIALECT } from "../../src/storage/sqlite/dialect.ts";

const SEARCH = {
  kind: "event",
  order: DEFAULT_ORDERS.event,
  filter: undefined,
  hasSearch: true,
  bounds: undefined,
} as const;

test("a search is counted first where matches are counted up to a limit", () => {
  expect(skipCounts(new ListPlan(SEARCH, SQLITE_DIALECT))).toBeUndefined();
});

test("a search is walked first where all matches are found before one is counted", () => {
  const plan = new ListPlan(SEARCH, POSTGRES_DIALECT);
  expect(plan.walksFirst).toBe(true);
  const [search, ...others] = skipCounts(plan) ?? [];
  expect(others).toEqual([]);
  expect(search).toMatchObject({ count: Number.POSITIVE_INFINITY });
  expect(search?.postingLists).toBeUndefined();
});
