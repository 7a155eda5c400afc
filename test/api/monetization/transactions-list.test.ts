import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../../demo/data/dataset.ts";
import type { TransactionRecord } from "../../../demo/data/dataset-records.ts";
import { readDemoRecords } from "../../../demo/records.ts";
import { TransactionStatus } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { RecordItem } from "../../../src/domain/records/record.ts";
import { type HttpResponse, rejection, send } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { playCases, toCases } from "../play-cases.ts";

const marquee = await useMarquee();

/** The first of the demo's transactions, beside the tenth that its template has. */
async function* readFirst() {
  let count = 0;
  const isFirst = ({ kind }: RecordItem) => kind === "transaction" && count++ < 1_000;
  for await (const items of readDemoRecords()) yield items.filter(isFirst);
}
await marquee.store.importRecords(readFirst(), { createSecret: () => "" });

type Query = Readonly<Record<string, string | number | boolean>>;

const { values: STORED } = await marquee.store.transactions.list({
  ...{ projectIds: ["worldcup", "sandbox", "elsewhere"], billingTransactionIds: [] },
  ...{ limit: 10_000, withSummary: false },
});
const IDS = new Set(STORED.map(({ id }) => id));
const RECORDS = createDemoDataset().transactions.filter(({ transaction }) => {
  return IDS.has(transaction.id);
});
const of = (...projects: string[]) =>
  RECORDS.filter(({ transaction }) => projects.includes(transaction.projectId));
const list = (query: Query, role: keyof Marquee["tokens"] = "owner"): Promise<HttpResponse> => {
  const text = Object.entries(query).map(([name, it]) => `${name}=${encodeURIComponent(it)}`);
  return send("GET", `${marquee.url}/monetization/transactions/v1?${text.join("&")}`, {
    token: marquee.tokens[role],
  });
};
const ids = (got: HttpResponse): string[] =>
  got.json.transactions.map((it: { id: string }) => it.id);

/** Walks from the first page to the last and gives all ids; the sizes of the pages take turns. */
async function walk(query: Query, sizes: readonly number[], role?: keyof Marquee["tokens"]) {
  const all: string[] = [];
  let page_token = "";
  for (let turn = 0; turn === 0 || page_token !== ""; turn += 1) {
    const page_size = sizes[turn % sizes.length] ?? 0;
    const got = await list({ ...query, page_size, ...(page_token && { page_token }) }, role);
    expect(got.status).toBe(200);
    page_token = got.json.next_page_token;
    if (page_token !== "") expect(ids(got)).toHaveLength(page_size);
    all.push(...ids(got));
  }
  return all;
}

/** Newest first, ties by id. */
const inOrder = (records: readonly TransactionRecord[]) =>
  records
    .map(({ transaction: { id, createTime } }) => ({ id, at: createTime?.seconds ?? 0n }))
    .sort((a, b) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at > b.at ? -1 : 1))
    .map(({ id }) => id);

describe("the list", () => {
  test("is newest first with ties by id, and the walk covers each once, whatever the page sizes", async () => {
    const got = await walk({ project_id: "worldcup" }, [37, 999, 1, 500, 250]);
    expect(got).toEqual(inOrder(of("worldcup")));
  });

  test("without a project covers all projects in which the account may list", async () => {
    const all = of("worldcup", "sandbox");
    expect(await walk({}, [1000])).toEqual(inOrder(all));
    expect(await walk({}, [1000], "editor")).toEqual(inOrder(of("worldcup")));
    expect(await walk({}, [1000], "viewer")).toEqual(inOrder(of("worldcup")));
    expect(await walk({}, [1000], "outsider")).toEqual(inOrder(of("elsewhere")));
  });

  test("shows every field of a transaction, its zero values too", async () => {
    const [got] = (await list({ filter: 'billing_transaction_id: "bill_000001"' })).json
      .transactions;
    const { transaction: want } = RECORDS[0] ?? {};
    const amount = { currency_code: expect.any(String), units: expect.stringMatching(/^\d+$/) };
    const money = { ...amount, nanos: expect.any(Number) };
    const time = expect.stringMatching(/^202[56]-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const { capture_time, ...rest } = got;
    expect(capture_time).toEqual(want?.captureTime ? time : undefined);
    expect(rest).toEqual({
      id: "txn-000001",
      offer_id: want?.offerId,
      project_id: "worldcup",
      user_id: want?.userId,
      offer_title: want?.offerTitle,
      offer_description: want?.offerDescription,
      offer_name: want?.offerName,
      offer_price_id: want?.offerPriceId,
      status: "TRANSACTION_STATUS_CAPTURED",
      ...{ msrp: money, subtotal_amount: money, total_amount: money },
      ...{ vat_amount: money, discount_amount: money },
      discount_code: want?.discountCode,
      discount_percentage: want?.discountPercentage,
      billing_period: expect.stringMatching(/^BILLING_PERIOD_/),
      access_period: expect.stringMatching(/^ACCESS_PERIOD_/),
      payment_method_id: want?.paymentMethodId,
      subscription_id: want?.subscriptionId,
      create_time: time,
      is_test: want?.isTest,
    });
  });
});

const CALL = { call: "monetization.transaction.v1.TransactionService/ListTransactions" };
/** How many transactions a page has, and whether there are more. */
const readCount = ({ transactions = [], nextPageToken }: JsonMessage) => [
  ...[(transactions as object[]).length, ...(nextPageToken ? ["and more"] : [])],
];
const FIELD = "billing_transaction_id";

playCases(marquee, "the list", [
  ...(
    [
      ["editor", "sandbox"],
      ["outsider", "worldcup"],
      ["owner", "elsewhere"],
      ["owner", "nothing"],
    ] as const
  ).map(([as, projectId]) => ({
    ...{ ...CALL, as, body: { projectId, includeSummary: true } },
    want: "404 RESOURCE_NOT_FOUND",
  })),
  ...toCases({ ...CALL, body: (it: JsonMessage) => it, read: readCount }, [
    [{ projectId: "worldcup" }, [50, "and more"]],
    [{ projectId: "worldcup", pageSize: 1001 }, [1000, "and more"]],
    [{ projectId: "sandbox", pageSize: 200 }, [of("sandbox").length]],
  ]),
  ...toCases({ ...CALL, body: (it: JsonMessage) => it }, [
    [{ pageSize: -1 }, "PAGE_SIZE_INVALID page_size"],
    [{ pageSize: 1.5 }, "VALUE_INVALID page_size"],
    [{ includeSummary: "yes" }, "VALUE_INVALID include_summary"],
  ]),
  ...toCases(
    {
      ...{ ...CALL, body: (filter: string) => ({ filter }) },
      read: ({ transactions = [] }) =>
        (transactions as { id: string }[]).map(({ id }) => id).sort(),
    },
    [
      [`${FIELD}: "bill_000001"`, ["txn-000001"]],
      [`${FIELD}: "bill_000040"`, ["txn-000040", "txn-000041"]],
      [`* and ${FIELD}: bill_000004`, ["txn-000004"]],
      [`${FIELD}: bill_000001 AND ${FIELD}: bill_000002`, []],
      [`${FIELD}: "BILL_000001"`, []],
      [`${FIELD}: "bill_00000*"`, []],
      [`${FIELD}: "' OR 1=1 --"`, []],
      [`${FIELD}: a or ${FIELD}: b`, "FILTER_NOT_SUPPORTED filter column=1"],
      [`${FIELD}: a and user_id: b`, "FILTER_NOT_SUPPORTED filter column=31"],
      [`${FIELD}: (`, "KQL_SYNTAX filter column=26"],
    ],
  ),
]);

describe("a page token", () => {
  const query = { project_id: "worldcup", page_size: 3 };
  const tokenOf = async (more: Query = {}, role?: keyof Marquee["tokens"]): Promise<string> =>
    (await list({ ...query, ...more }, role)).json.next_page_token;
  const rejected = [400, "PAGE_TOKEN_INVALID"];

  test.each<[string, Query, (keyof Marquee["tokens"])?]>([
    ["of another project", { project_id: "sandbox" }],
    ["of a list with the summary", { include_summary: true }],
    ["of all projects", { project_id: "" }],
    ["of another account", {}, "viewer"],
  ])("%s is rejected, in both directions", async (_, more, role) => {
    const other = await list({ ...query, ...more, page_token: await tokenOf() }, role);
    expect(rejection(other)).toEqual(rejected);
    expect(rejection(await list({ ...query, page_token: await tokenOf(more, role) }))).toEqual(
      rejected,
    );
  });
});

test("the demo sells in several currencies", () => {
  const { total_revenue_by_currency } = summaryOf(of("worldcup"));
  expect(Object.keys(total_revenue_by_currency).length).toBeGreaterThan(2);
});

/** Computes the summary anew from the demo's data. */
function summaryOf(records: readonly TransactionRecord[]) {
  const sums = new Map<string, bigint>();
  for (const { transaction } of records) {
    const { status, isTest, totalAmount } = transaction;
    if (status !== TransactionStatus.CAPTURED || isTest || totalAmount === undefined) continue;
    const amount = totalAmount.units * 1_000_000_000n + BigInt(totalAmount.nanos);
    sums.set(totalAmount.currencyCode, (sums.get(totalAmount.currencyCode) ?? 0n) + amount);
  }
  const revenue = Array.from(sums, ([currency_code, sum]) => {
    const nanos = Number(sum % 1_000_000_000n);
    return [currency_code, { currency_code, units: String(sum / 1_000_000_000n), nanos }] as const;
  });
  return { total_count: records.length, total_revenue_by_currency: Object.fromEntries(revenue) };
}

describe("the summary", () => {
  test("is there only when it is asked for", async () => {
    for (const query of [{}, { include_summary: "false" }]) {
      expect(Object.keys((await list(query)).json)).toEqual(["transactions", "next_page_token"]);
    }
  });

  test.each<[string, keyof Marquee["tokens"], readonly string[]]>([
    ["worldcup", "owner", ["worldcup"]],
    ["sandbox", "owner", ["sandbox"]],
    ["", "owner", ["worldcup", "sandbox"]],
    ["", "editor", ["worldcup"]],
    ["", "outsider", ["elsewhere"]],
  ])(
    "of the project '%s' asked by the %s is exact in every currency",
    async (project, as, want) => {
      const query = { include_summary: "true", ...(project && { project_id: project }) };
      expect((await list(query, as)).json.summary).toEqual(summaryOf(of(...want)));
    },
  );
});
