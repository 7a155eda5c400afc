import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import { TransactionStatus } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { TransactionRecord } from "../../src/storage/dataset.ts";
import { metadataOf, reasonOf, send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

const RECORDS = createDemoDataset().transactions;
const list = (query: Readonly<Record<string, string>>, role: keyof Marquee["tokens"] = "owner") =>
  send("GET", `${marquee.url}/monetization/transactions/v1?${new URLSearchParams(query)}`, {
    token: marquee.tokens[role],
  });
const ids = (got: { json: { transactions: { id: string }[] } }) =>
  got.json.transactions.map((it) => it.id).sort();

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

const of = (...projects: string[]) =>
  RECORDS.filter(({ transaction }) => projects.includes(transaction.projectId));

describe("the summary", () => {
  test("is there only when it is asked for", async () => {
    for (const query of [{}, { include_summary: "false" }, { project_id: "worldcup" }]) {
      expect(Object.keys((await list(query)).json)).toEqual(["transactions", "next_page_token"]);
    }
  });

  for (const [what, project, projects] of [
    ["of a project", "worldcup", ["worldcup"]],
    ["of another project", "sandbox", ["sandbox"]],
    ["of all projects of the account", "", ["worldcup", "sandbox"]],
  ] as const) {
    test(`${what} is exact in every currency`, async () => {
      const query = { include_summary: "true", ...(project && { project_id: project }) };
      const want = summaryOf(of(...projects));
      expect(Object.keys(want.total_revenue_by_currency).length).toBeGreaterThan(2);
      expect((await list(query)).json.summary).toEqual(want);
    });
  }

  test("covers what the account may list, no more", async () => {
    const query = { include_summary: "true" };
    expect((await list(query, "editor")).json.summary).toEqual(summaryOf(of("worldcup")));
    expect((await list(query, "outsider")).json.summary).toEqual(summaryOf(of("elsewhere")));
  });

  test("ignores paging: it is the same on every page and for every page size", async () => {
    const query = { include_summary: "true", project_id: "sandbox", page_size: "90" };
    const want = summaryOf(of("sandbox"));
    let page_token = "";
    let pages = 0;
    do {
      const got = await list({ ...query, ...(page_token && { page_token }) });
      expect(got.json.summary).toEqual(want);
      page_token = got.json.next_page_token;
      pages += 1;
    } while (page_token !== "");
    expect(pages).toBe(3);
  });

  test("reflects the filter", async () => {
    for (const id of ["bill_000001", "bill_000040", "bill_999999"]) {
      const records = of("worldcup", "sandbox").filter((it) => it.billingTransactionId === id);
      const got = await list({ include_summary: "true", filter: `billing_transaction_id: ${id}` });
      expect(got.json.summary).toEqual(summaryOf(records));
    }
  });

  for (const include_summary of ["1", "yes", "TRUE", ""]) {
    test(`"${include_summary}" is neither true nor false`, async () => {
      const got = await list({ include_summary });
      expect([got.status, metadataOf(got)?.field]).toEqual([400, "include_summary"]);
    });
  }
});

describe("the filter", () => {
  const field = "billing_transaction_id";
  const found: readonly (readonly [filter: string, want: readonly string[]])[] = [
    [`${field}: "bill_000001"`, ["txn-000001"]],
    [`${field}:bill_000002`, ["txn-000002"]],
    [`  ${field} : ("bill_000003")  `, ["txn-000003"]],
    [`${field}: "bill_000040"`, ["txn-000040", "txn-000041"]],
    [`${field}: bill_000001 and ${field}: "bill_000001"`, ["txn-000001"]],
    [`${field}: bill_000001 AND ${field}: bill_000002`, []],
    [`* and ${field}: bill_000004`, ["txn-000004"]],
    [`${field}: "BILL_000001"`, []],
    [`${field}: "bill_00000"`, []],
    [`${field}: "bill_000001\\" or \\"1\\"=\\"1"`, []],
    [`${field}: "' OR 1=1 --"`, []],
    [`${field}: "bill_00000*"`, []],
  ];
  for (const [filter, want] of found) {
    test(`${filter} finds ${want.join(", ") || "nothing"}`, async () => {
      const got = await list({ filter });
      expect(got.status).toBe(200);
      expect(ids(got)).toEqual(want);
      expect(got.json.next_page_token).toBe("");
    });
  }

  test("that is blank or matches everything is none", async () => {
    const want = (await list({})).json.transactions;
    for (const filter of ["", "  ", "*"]) {
      expect((await list({ filter })).json.transactions).toEqual(want);
    }
  });

  const refused: readonly (readonly [filter: string, reason: string, column: number])[] = [
    [`${field}: a or ${field}: b`, "FILTER_NOT_SUPPORTED", 1],
    [`${field}: a and ${field}: (b or c)`, "FILTER_NOT_SUPPORTED", 56],
    [`not ${field}: a`, "FILTER_NOT_SUPPORTED", 1],
    [`${field}: *`, "FILTER_NOT_SUPPORTED", 1],
    [`${field}: bill_*`, "FILTER_NOT_SUPPORTED", 1],
    [`${field} > a`, "FILTER_NOT_SUPPORTED", 1],
    ["status: TRANSACTION_STATUS_CAPTURED", "FILTER_NOT_SUPPORTED", 1],
    [`${field}: a and user_id: b`, "FILTER_NOT_SUPPORTED", 31],
    ["bill_000001", "FILTER_NOT_SUPPORTED", 1],
    [`${field}: (`, "KQL_SYNTAX", 26],
    [`${field}: "a`, "KQL_SYNTAX", 25],
    [")", "KQL_SYNTAX", 1],
  ];
  for (const [filter, reason, column] of refused) {
    test(`${filter} is refused with the column`, async () => {
      const got = await list({ filter });
      expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, 3, reason]);
      expect(metadataOf(got)?.column).toBe(String(column));
    });
  }
});
