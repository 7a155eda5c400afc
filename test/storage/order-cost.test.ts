import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, test } from "vitest";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import type { OrderPlace } from "../../src/domain/base/paging.ts";
import { parseOrder } from "../../src/domain/content/order.ts";
import { parseKql } from "../../src/domain/kql/index.ts";
import { loadDataset } from "../harness/load-dataset.ts";
import { expectWithin, MACHINE } from "../harness/turns.ts";
import { MeasuredBudget, MOST_MS, openMeasuredStore, takeCosts } from "./measured-store.ts";
import { ALPHA, createEvent, createSmallDataset } from "./small-dataset.ts";

/** Each cost is the least of so many runs, as other processes disturb some. */
const RUNS = 3;

const NOW = new Date("2026-06-12T12:00:00Z");

const COUNT = 20_000;

/** The most CPU time of a page without a filter, in milliseconds: to sort all items takes several times as long. */
const PAGE_MS = 3 * MACHINE;

function* createEvents() {
  for (let number = 0; number < COUNT; number += 1) {
    const message = createEvent(`event-${(number * 7_919) % COUNT}`, {
      startTime: { seconds: BigInt(1_780_272_000 + ((number * 104_729) % COUNT)) },
      fields: {
        all: (number * 31) % COUNT,
        same: "same",
        few: number % 5,
        several: [number % 700, number % 11, -number],
        ...(number % 2_000 === 0 && { rare: number }),
      },
      // Half of the windows have ended.
      availability: { endTime: timestampFromMs(NOW.getTime() + (number % 2 === 0 ? 1 : -1)) },
    });
    yield { kind: "event", message, line: 0 } as const;
  }
}

const FIELDS: Readonly<Record<string, string>> = {
  all: "that all items have",
  same: "with one value in all items",
  few: "with few values",
  several: "with several values in each item",
  rare: "that few items have",
  none: "that no item has",
};
const FILTERS = [
  "fields.several: 3",
  "fields.few: (1 or 3) and title.en: *z*",
  "not fields.same: same",
  "fields.all > 15000",
  "fields.rare: *",
  "zzz",
];

describe("an order by a field", () => {
  let measured: Awaited<ReturnType<typeof openMeasuredStore>>;

  beforeAll(async () => {
    measured = await openMeasuredStore();
    await loadDataset(measured.store, createSmallDataset());
    await measured.store.importRecords([[...createEvents()]]);
  });
  afterAll(() => measured.close());

  /** Reads pages from the start; returns the CPU time of each statement or step of the most expensive one. */
  async function readPages(
    order: string,
    filter: string,
    pages: number,
  ): Promise<readonly number[]> {
    let after: OrderPlace | undefined;
    let worst: readonly number[] = [];
    for (let page = 0; page < pages; page += 1) {
      takeCosts();
      const { next } = await measured.store.events.list({
        ...{
          projectId: ALPHA,
          at: { time: NOW, limitUntil: () => {} },
          visibilities: [Visibility.PUBLISHED],
          words: [],
          limit: 20,
          now: NOW,
        },
        ...{ filter: parseKql(filter), order: parseOrder(order, "event", "order"), after },
        budget: new MeasuredBudget({ clock: () => performance.now(), pause: async () => {} }),
      });
      const costs = takeCosts().map(({ ms }) => ms);
      if (sum(costs) > sum(worst)) worst = costs;
      if (next === undefined) break;
      after = next;
    }
    return worst;
  }

  for (const [field, what] of Object.entries(FIELDS)) {
    for (const rest of ["", ", start_time desc", ", create_time asc"]) {
      for (const direction of ["asc", "desc"]) {
        const order = `fields.${field} ${direction}${rest}`;
        test(`${what} costs little: ${order}`, async () => {
          let least = Number.POSITIVE_INFINITY;
          for (let run = 0; run < RUNS && least > PAGE_MS; run += 1) {
            least = Math.min(least, sum(await readPages(order, "", 4)));
          }
          expectWithin(least, PAGE_MS);
        });
      }
    }
    test(`${what} has no long statement with a filter`, async () => {
      for (const filter of FILTERS) {
        const order = `fields.${field} asc, start_time desc`;
        let most = Number.POSITIVE_INFINITY;
        for (let run = 0; run < RUNS && most > MOST_MS; run += 1) {
          most = Math.min(most, Math.max(0, ...(await readPages(order, filter, 3))));
        }
        expectWithin(most, MOST_MS, filter);
      }
    });
  }
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
