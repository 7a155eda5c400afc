import { expect } from "vitest";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import type { TransactionQuery } from "../../../src/storage/contract/monetization.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createSmallDataset, createTransaction, GAMMA } from "../small-dataset.ts";
import { expectPages, type ListIds } from "./paging.ts";
import type { Scenario } from "./scenario.ts";

/** Ids in the order of their code points; the last two are the other way round in UTF-16. */
const IDS = ["A", "B", "a", "a ", "aa", "é", "\uff61", "\u{1f600}"];

/** Holds the list of transactions: order, paging and filter. */
export function transactionContract(scenario: Scenario): void {
  scenario("the newest come first, ties by the code points of the id", TIES, async (store) => {
    await expectPages(listIds(store), ORDERED, [
      [{ key: 9e15, id: "" }, ORDERED],
      [{ key: 2_000_000_000, id: "A!" }, ORDERED.slice(2)],
      [{ key: 1_500_000_000, id: "" }, ORDERED.slice(9)],
      [{ key: -9e15, id: "" }, []],
    ]);
    expect((await store.transactions.list(query({}))).summary).toBeUndefined();
  });

  scenario("records are given back whole", TIES, async (store) => {
    const { values: transactions } = await store.transactions.list(query({ limit: 1 }));
    expect(transactions[0]).toEqual(
      TIES.transactions.find((it) => it.transaction.id === ORDERED[0])?.transaction,
    );
  });

  scenario("times finer than a millisecond order records", FINE, async (store) => {
    await expectPages(listIds(store), ["y9999", "us-2", "us-1", "epoch", "before", "y1"]);
  });

  scenario("only the asked projects are listed, none asked lists none", PROJECTS, async (store) => {
    const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
      [[], []],
      [["nowhere"], []],
      [["Alpha"], []],
      [[BETA], ["b-2", "b-1"]],
      [
        [BETA, ALPHA],
        ["b-2", "a-1", "b-1"],
      ],
      [
        [ALPHA, BETA, GAMMA, ALPHA],
        ["b-2", "a-1", "g-1", "b-1"],
      ],
    ];
    for (const [projectIds, want] of cases) {
      await expectPages(listIds(store, { projectIds }), want);
    }
  });

  scenario("the billing id filters byte for byte", BILLING, async (store) => {
    const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
      [["x"], ["t-4", "t-1"]],
      [["X"], ["t-2"]],
      [["x "], []],
      [["%"], []],
      [[""], ["t-3"]],
      [
        ["x", "x"],
        ["t-4", "t-1"],
      ],
      [["x", "X"], []],
    ];
    for (const [billingTransactionIds, want] of cases) {
      await expectPages(listIds(store, { billingTransactionIds }), want);
    }
  });
}

function query(changes: Partial<TransactionQuery>): TransactionQuery {
  const all = { projectIds: [ALPHA], billingTransactionIds: [], limit: 50, withSummary: false };
  return { ...all, ...changes };
}

function listIds(store: Store, changes: Partial<TransactionQuery> = {}): ListIds<OrderPlace> {
  return async (page) => {
    const { values, next } = await store.transactions.list({ ...query(changes), ...page });
    return { ids: values.map(({ id }) => id), next };
  };
}

const TIES = createSmallDataset({
  transactions: [
    createTransaction("oldest", { createTime: { seconds: 1_000n } }),
    ...["\u{1f600}", "aa", "B", "\uff61", "a", "é", "A", "a "].map((id) =>
      createTransaction(id, { createTime: { seconds: 2_000n } }),
    ),
    createTransaction("newest", { createTime: { seconds: 3_000n } }),
  ],
});
const ORDERED = ["newest", ...IDS, "oldest"];

const FINE = createSmallDataset({
  transactions: [
    createTransaction("us-1", { createTime: { seconds: 1_000n, nanos: 1_000 } }),
    createTransaction("us-2", { createTime: { seconds: 1_000n, nanos: 2_000 } }),
    createTransaction("y9999", { createTime: { seconds: 253_402_300_799n, nanos: 999_999_999 } }),
    createTransaction("y1", { createTime: { seconds: -62_135_596_800n } }),
    createTransaction("before", { createTime: { seconds: -1n, nanos: 999_999_000 } }),
    createTransaction("epoch", { createTime: { seconds: 0n } }),
  ],
});

const PROJECTS = createSmallDataset({
  transactions: [
    createTransaction("g-1", { projectId: GAMMA, createTime: { seconds: 2n } }),
    createTransaction("a-1", { createTime: { seconds: 2n } }),
    createTransaction("b-1", { projectId: BETA, createTime: { seconds: 1n } }),
    createTransaction("b-2", { projectId: BETA, createTime: { seconds: 3n } }),
  ],
});

const BILLING = createSmallDataset({
  transactions: [
    createTransaction("t-1", { createTime: { seconds: 1n } }, "x"),
    createTransaction("t-2", { createTime: { seconds: 2n } }, "X"),
    createTransaction("t-3", { createTime: { seconds: 3n } }, ""),
    createTransaction("t-4", { createTime: { seconds: 4n } }, "x"),
    createTransaction("t-5", { projectId: BETA, createTime: { seconds: 5n } }, "x"),
  ],
});
