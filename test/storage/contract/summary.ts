import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect } from "vitest";
import { MoneySchema } from "../../../gen/google/type/money_pb.ts";
import {
  type Transaction,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import type { TransactionQuery } from "../../../src/storage/contract/monetization.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createSmallDataset, createTransaction, GAMMA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOT_CAPTURED = [
  TransactionStatus.UNSPECIFIED,
  TransactionStatus.PENDING,
  TransactionStatus.FAILED,
  TransactionStatus.CANCELLED,
  TransactionStatus.REFUNDED,
];
const MAX_UNITS = 2n ** 63n - 1n;
const MIN_UNITS = -(2n ** 63n);

/** Holds the summary of transactions: exact sums, the filter followed, paging ignored. */
export function summaryContract(scenario: Scenario): void {
  const hold = scenario.share(MIXED);

  hold("no projects sum up to nothing", async (store) => {
    for (const projectIds of [[], ["nowhere"], [GAMMA]]) {
      expect(await sum(store, { projectIds })).toEqual({ totalCount: 0, revenue: {} });
    }
  });

  hold("captured transactions that are no tests are revenue", async (store) => {
    expect(await sum(store, {})).toEqual({
      totalCount: 12,
      revenue: { EUR: 5_500_000_000n, eur: -1n },
    });
  });

  hold("the summary ignores the page and its size", async (store) => {
    const want = await sum(store, {});
    for (const limit of [1, 3, 100]) {
      let after: OrderPlace | undefined;
      for (let page = 0; page * limit < want.totalCount; page += 1) {
        const asked: Partial<TransactionQuery> = { limit, ...(after && { after }) };
        expect(await sum(store, asked)).toEqual(want);
        after = (await store.transactions.list(toQuery(asked))).next;
      }
      expect(after).toBeUndefined();
    }
  });

  hold("the summary follows the filter and the projects", async (store) => {
    const cases: readonly (readonly [Partial<TransactionQuery>, Sums])[] = [
      [
        { projectIds: [BETA, ALPHA] },
        { totalCount: 13, revenue: { EUR: 5_500_000_000n, eur: -1n, USD: -7n } },
      ],
      [
        { billingTransactionIds: ["billing-half"] },
        { totalCount: 1, revenue: { EUR: 500_000_000n } },
      ],
      [{ billingTransactionIds: ["billing-half", "other"] }, { totalCount: 0, revenue: {} }],
      [{ billingTransactionIds: ["billing-status-1"] }, { totalCount: 1, revenue: {} }],
      [{ billingTransactionIds: [""] }, { totalCount: 2, revenue: { EUR: 4_000_000_000n } }],
      [{ billingTransactionIds: ["", "billing-half"] }, { totalCount: 0, revenue: {} }],
    ];
    for (const [asked, want] of cases) expect(await sum(store, asked)).toEqual(want);
  });

  scenario("the summary follows changes and deletions", MIXED, async (store) => {
    const { transaction, project } = store.in("acme").documents;
    const change = (id: string, values: Partial<Transaction>) =>
      transaction.update(id, ({ value }) => ({ ...value, ...values }));
    await change("one", { status: TransactionStatus.REFUNDED });
    await change("status-1", { status: TransactionStatus.CAPTURED });
    await change("half", { totalAmount: create(MoneySchema, { currencyCode: "CHF", units: 3n }) });
    await change("test", { isTest: false });
    await transaction.delete("unbilled", () => {});
    expect(await sum(store, {})).toEqual({
      totalCount: 11,
      revenue: { CHF: 3_000_000_000n, EUR: 2_000_000_000n, eur: -1n },
    });
    await project.delete(ALPHA, () => {});
    expect(await sum(store, {})).toEqual({ totalCount: 0, revenue: {} });
    expect((await sum(store, { projectIds: [BETA] })).totalCount).toBe(1);
  });

  scenario("the largest amounts are summed without a limit", LARGE, async (store) => {
    const { revenue } = await sum(store, { limit: 1 });
    expect(revenue).toEqual({
      UP: 100n * toBillionths(MAX_UNITS, 999_999_999),
      DOWN: 100n * toBillionths(MIN_UNITS, -999_999_999),
    });
  });

  for (const seed of [1, 2, 3]) {
    const [amounts = []] = fc.sample(fc.array(AMOUNT, { minLength: 100, maxLength: 200 }), {
      seed,
      numRuns: 1,
    });
    scenario(`sums are exact for any amounts (seed ${seed})`, toDataset(amounts), async (store) => {
      for (const projectIds of [[ALPHA], [BETA, GAMMA], [ALPHA, BETA, GAMMA]]) {
        expect(await sum(store, { projectIds, limit: 1 })).toEqual(sumOf(amounts, projectIds));
      }
    });
  }
}

interface Sums {
  readonly totalCount: number;
  readonly revenue: Readonly<Record<string, bigint>>;
}

function toQuery(changes: Partial<TransactionQuery>): TransactionQuery {
  return {
    projectIds: [ALPHA],
    billingTransactionIds: [],
    limit: 50,
    withSummary: true,
    ...changes,
  };
}

async function sum(store: Store, asked: Partial<TransactionQuery>): Promise<Sums> {
  const { summary } = await store.transactions.list(toQuery(asked));
  if (summary === undefined) throw new Error("there is no summary");
  return { totalCount: summary.totalCount, revenue: Object.fromEntries(summary.revenue) };
}

const AMOUNT = fc.record({
  currencyCode: fc.constantFrom("EUR", "USD", "eur", ""),
  units: fc.oneof(
    fc.bigInt({ min: MIN_UNITS, max: MAX_UNITS }),
    fc.constantFrom(MAX_UNITS, MIN_UNITS, 2n ** 53n + 1n, 1_000_000_000n, -1n, 0n),
  ),
  nanos: fc.oneof(
    fc.integer({ min: -999_999_999, max: 999_999_999 }),
    fc.constantFrom(999_999_999, -999_999_999, 0),
  ),
  isTest: fc.boolean(),
  status: fc.constantFrom(TransactionStatus.CAPTURED, ...NOT_CAPTURED.slice(0, 2)),
  projectId: fc.constantFrom(ALPHA, BETA, GAMMA),
});

type Amount = typeof AMOUNT extends fc.Arbitrary<infer T> ? T : never;

function toBillionths(units: bigint, nanos: number): bigint {
  return units * 1_000_000_000n + BigInt(nanos);
}

/** The sums as BigInt alone makes them. */
function sumOf(amounts: readonly Amount[], projectIds: readonly string[]): Sums {
  const asked = amounts.filter((it) => projectIds.includes(it.projectId));
  const revenue: Record<string, bigint> = {};
  for (const { currencyCode, units, nanos, isTest, status } of asked) {
    if (isTest || status !== TransactionStatus.CAPTURED) continue;
    revenue[currencyCode] = (revenue[currencyCode] ?? 0n) + toBillionths(units, nanos);
  }
  return { totalCount: asked.length, revenue };
}

function toDataset(amounts: readonly Amount[]) {
  return createSmallDataset({
    transactions: amounts.map(({ currencyCode, units, nanos, ...rest }, index) =>
      createTransaction(`t-${index}`, { ...rest, totalAmount: { currencyCode, units, nanos } }),
    ),
  });
}

const MIXED = createSmallDataset({
  transactions: [
    createTransaction("one", { totalAmount: { currencyCode: "EUR", units: 1n } }),
    createTransaction("half", { totalAmount: { currencyCode: "EUR", nanos: 500_000_000 } }),
    createTransaction("small", { totalAmount: { currencyCode: "eur", nanos: -1 } }),
    createTransaction("test", { isTest: true }),
    createTransaction("unbilled", { totalAmount: { currencyCode: "EUR", units: 4n } }, ""),
    createTransaction("unbilled-test", { isTest: true }, ""),
    { ...createTransaction("free", { totalAmount: undefined as never }) },
    ...NOT_CAPTURED.map((status, second) => {
      const createTime = { seconds: BigInt(second) };
      return createTransaction(`status-${status}`, { status, createTime });
    }),
    createTransaction("beta", {
      projectId: BETA,
      totalAmount: { currencyCode: "USD", units: 0n, nanos: -7 },
    }),
  ],
});

const LARGE = createSmallDataset({
  transactions: Array.from({ length: 200 }, (_, index) =>
    createTransaction(`t-${index}`, {
      totalAmount:
        index % 2 === 0
          ? { currencyCode: "UP", units: MAX_UNITS, nanos: 999_999_999 }
          : { currencyCode: "DOWN", units: MIN_UNITS, nanos: -999_999_999 },
    }),
  ),
});
